import type { JsonObject, JsonValue, SseFrame } from '@sluice/protocol'

/** What the stub says in one answer: a thought, a text and tool calls, in this order. */
export interface ModelSaying {
  readonly thought?: string
  readonly text?: string
  readonly calls?: readonly ModelCall[]
}

export interface ModelCall {
  readonly tool: string
  readonly args: JsonObject
}

/** An API of models, as far as the command-line agents use it. */
export interface ModelApi {
  /** Whether a request with this path is for an answer by this API. */
  matches(path: string): boolean
  /** A saying as a stream. `n` numbers the answers, so that ids differ. */
  stream(saying: ModelSaying, n: number): readonly SseFrame[]
  /** The same in one piece; undefined if the agent never asks for that. */
  whole?(saying: ModelSaying, n: number): JsonValue
  /** The body of a response with an error status. */
  failure(status: number): JsonValue
}

/** The pieces in which a text is streamed: words. */
export function piecesOf(text: string): readonly string[] {
  return text.match(/\s*\S+\s*$|\s*\S+/g) ?? [text]
}

export const failureText = 'The stub refuses this.'

/** Whether a status blames the request, so that a retry is pointless. */
export function isFaultOfRequest(status: number): boolean {
  return status >= 400 && status < 500 && status !== 429
}
