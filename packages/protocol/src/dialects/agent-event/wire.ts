import Type, { type TObjectOptions } from 'typebox'

const draft = 'https://json-schema.org/draft/2020-12/schema'

/** The form of an AgentKind. */
export const agentKindPattern = '^[a-z][a-z0-9_]*$'

/** The six kinds; a producer that cannot classify an event calls it Unknown. */
export const wireKinds = ['TextOutput', 'ToolCall', 'ToolResult', 'Status', 'Error', 'Unknown'] as const
export type WireKind = (typeof wireKinds)[number]

const agentKind = Type.String({ pattern: agentKindPattern })
const channel = Type.Optional(Type.String({ description: 'At most 128 bytes of UTF-8.' }))
const message = Type.String({ description: 'At most 4096 bytes of UTF-8. Safe to show: no raw output.' })
const noText = Type.Optional(Type.String({ description: 'Must be absent: only TextOutput has a text.' }))
const noMessage = Type.Optional(Type.String({ description: 'Must be absent: a text needs no message.' }))
const data = Type.Optional(
  Type.Unknown({ description: 'At most 65536 bytes of compact JSON. No tool payloads.' }),
)

function about(name: string, title: string, description: string): TObjectOptions {
  return { $schema: draft, $id: `urn:sluice:schema:agent-event:${name}`, title, description }
}

// Universal Agent API, event envelope, "Fields (minimum)": further fields are allowed.
export const textOutputSchema = Type.Object(
  {
    agent_kind: agentKind,
    kind: Type.Literal('TextOutput'),
    channel,
    text: Type.String({
      description: 'At most 65536 bytes of UTF-8; a longer text is split over several events.',
    }),
    message: noMessage,
    data,
  },
  about(
    'TextOutput',
    'AgentEvent TextOutput',
    'A piece of text (event envelope, "Fields"). It has no message.',
  ),
)

export const errorSchema = Type.Object(
  { agent_kind: agentKind, kind: Type.Literal('Error'), channel, text: noText, message, data },
  about(
    'Error',
    'AgentEvent Error',
    'Something went wrong, and the run goes on (event envelope, "Fields"). It has no text.',
  ),
)

function otherSchema<K extends WireKind>(kind: K, description: string) {
  return Type.Object(
    {
      agent_kind: agentKind,
      kind: Type.Literal(kind),
      channel,
      text: noText,
      message: Type.Optional(message),
      data,
    },
    about(kind, `AgentEvent ${kind}`, `${description} (event envelope, "Fields"). It has no text.`),
  )
}

export const toolCallSchema = otherSchema('ToolCall', 'A tool begins or goes on; metadata only')
export const toolResultSchema = otherSchema('ToolResult', 'A tool has ended; metadata only')
export const statusSchema = otherSchema('Status', 'What the agent is doing')
export const unknownSchema = otherSchema('Unknown', 'What the backend could not classify')

const bytes = Type.Integer({ minimum: 0 })
const nullable = Type.Union([Type.String(), Type.Null()])

/** The tools facet: `data` of ToolCall and ToolResult. All ten keys are always present. */
export const toolsFacetSchema = Type.Object(
  {
    schema: Type.Literal('agent_api.tools.structured.v1'),
    tool: Type.Object({
      backend_item_id: nullable,
      thread_id: nullable,
      turn_id: nullable,
      kind: Type.String(),
      phase: Type.Enum(['start', 'delta', 'complete', 'fail']),
      status: Type.Enum(['pending', 'running', 'completed', 'failed', 'unknown']),
      exit_code: Type.Union([Type.Integer(), Type.Null()]),
      bytes: Type.Object({ stdout: bytes, stderr: bytes, diff: bytes, result: bytes }),
      tool_name: nullable,
      tool_use_id: nullable,
    }),
  },
  about(
    'tools-facet',
    'Tools facet, version 1',
    'What a tool is doing, without its inputs and outputs (capability agent_api.tools.structured.v1).',
  ),
)

/** The session handle facet: `data` of one early Status and of the completion. */
export const sessionFacetSchema = Type.Object(
  {
    schema: Type.Literal('agent_api.session.handle.v1'),
    session: Type.Object({ id: Type.String({ minLength: 1 }) }),
  },
  about(
    'session-facet',
    'Session handle facet, version 1',
    "The backend's own session, at most 1024 bytes (capability agent_api.session.handle.v1).",
  ),
)

/** The names of the Universal Agent API's errors. */
export const errorCodes = [
  'UnknownBackend',
  'UnsupportedCapability',
  'InvalidAgentKind',
  'InvalidRequest',
  'Backend',
] as const

/**
 * The last line of a run that produced a completion. The Universal Agent API defines its members, but not
 * that they form a line.
 */
export const completionOkSchema = Type.Object(
  {
    completion: Type.Object({
      ok: Type.Object({
        status: Type.Optional(
          Type.Object({
            code: Type.Union([Type.Integer(), Type.Null()]),
            signal: Type.Optional(nullable),
          }),
        ),
        final_text: Type.Optional(Type.String({ description: 'At most 65536 bytes of UTF-8, else cut.' })),
        data,
      }),
    }),
  },
  about(
    'completion-ok',
    'AgentCompletion',
    'How a run ended: exit status and final text (run protocol, completion).',
  ),
)

/** The last line of a run that failed or was cancelled (`Backend`, message `cancelled`). */
export const completionErrorSchema = Type.Object(
  {
    completion: Type.Object({
      error: Type.Object({ code: Type.Optional(Type.Enum([...errorCodes])), message, data }),
    }),
  },
  about(
    'completion-error',
    'AgentError',
    'Why a run has no completion (contract, errors; run protocol, cancel).',
  ),
)

export type ToolsFacet = Type.Static<typeof toolsFacetSchema>
export type CompletionOk = Type.Static<typeof completionOkSchema>['completion']['ok']
export type CompletionError = Type.Static<typeof completionErrorSchema>['completion']['error']

/** Any line of a stream: an event, or the completion after the last event. */
export type AgentEventFrame =
  | Type.Static<typeof textOutputSchema>
  | Type.Static<typeof errorSchema>
  | Type.Static<typeof toolCallSchema>
  | Type.Static<typeof toolResultSchema>
  | Type.Static<typeof statusSchema>
  | Type.Static<typeof unknownSchema>
  | Type.Static<typeof completionOkSchema>
  | Type.Static<typeof completionErrorSchema>
