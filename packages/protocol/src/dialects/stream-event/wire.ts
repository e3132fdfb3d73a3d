import Type, { type TObjectOptions } from 'typebox'

function about(name: string, title: string, description: string): TObjectOptions {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:sluice:schema:stream-event:${name}`,
    title,
    description,
  }
}

/** All that the specification fixes: `stream_event.v1`. The form of `data` depends on the type. */
export const streamEventSchema = Type.Object(
  { type: Type.String(), data: Type.Unknown() },
  about(
    'stream-event',
    'StreamEvent',
    'One event of a streaming execution (StreamEvent contract, Structure).',
  ),
)

// The forms that Sluice writes, from "Example Event Sequences" in the specification. It reads more of them
// (decode-*.ts).
export const logSchema = Type.Object(
  { type: Type.Literal('log'), data: Type.Object({ level: Type.String(), message: Type.String() }) },
  about('log', 'StreamEvent log', 'A status update (StreamEvent contract, Example 1).'),
)

export const toolCallSchema = Type.Object(
  {
    type: Type.Literal('tool_call'),
    data: Type.Object({ tool_name: Type.String(), tool_args: Type.Unknown() }),
  },
  about('tool_call', 'StreamEvent tool_call', 'The agent calls a tool (StreamEvent contract, Example 2).'),
)

export const toolResultSchema = Type.Object(
  {
    type: Type.Literal('tool_result'),
    data: Type.Union([
      Type.Object({ tool_name: Type.String(), result: Type.Unknown() }),
      Type.Object({ tool_name: Type.String(), error: Type.String() }),
    ]),
  },
  about(
    'tool_result',
    'StreamEvent tool_result',
    'A tool has returned or failed (StreamEvent contract, Example 2).',
  ),
)

export const answerChunkSchema = Type.Object(
  { type: Type.Literal('answer_chunk'), data: Type.Object({ text: Type.String() }) },
  about(
    'answer_chunk',
    'StreamEvent answer_chunk',
    'A piece of the answer (StreamEvent contract, Example 3).',
  ),
)

export const finalAnswerSchema = Type.Object(
  {
    type: Type.Literal('final_answer'),
    data: Type.Object({ text: Type.String(), provenance: Type.Optional(Type.Array(Type.Unknown())) }),
  },
  about(
    'final_answer',
    'StreamEvent final_answer',
    'The whole answer and its sources (StreamEvent contract, Example 4).',
  ),
)

export const errorSchema = Type.Object(
  { type: Type.Literal('error'), data: Type.Object({ error: Type.String() }) },
  about('error', 'StreamEvent error', 'A step has failed; the run goes on (llm-common executor).'),
)

export const thinkingSchema = Type.Object(
  {
    type: Type.Literal('thinking'),
    data: Type.Union([Type.String(), Type.Object({ message: Type.String() })]),
  },
  about('thinking', 'StreamEvent thinking', 'What the agent thinks (llm-common executor and orchestrator).'),
)

export const sourcesSchema = Type.Object(
  { type: Type.Literal('sources'), data: Type.Array(Type.Unknown()) },
  about('sources', 'StreamEvent sources', 'What an answer rests on (llm-common executor and orchestrator).'),
)

export type StreamEventFrame = Type.Static<typeof streamEventSchema>
