import type { JsonObject, JsonValue, SseFrame } from '@sluice/protocol'

/** What the stub says in one answer: a thought, a text, calls of tools, in this order. */
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
  /** Whether a request for an answer is one of this API, by its path. */
  matches(path: string): boolean
  /** A saying as a stream. `n` numbers the answers, so that ids differ. */
  stream(saying: ModelSaying, n: number): readonly SseFrame[]
  /** The same at once, where the agent asks for that; undefined where it never does. */
  whole?(saying: ModelSaying, n: number): JsonValue
  /** The body of an answer with an HTTP status of failure. */
  failure(status: number): JsonValue
}

/** The pieces in which a text comes: words. */
export function piecesOf(text: string): readonly string[] {
  return text.match(/\s*\S+\s*$|\s*\S+/g) ?? [text]
}

export const failureText = 'The stub refuses this.'

/** Whether a status says that the request was wrong, so that asking again is in vain. */
export function isFaultOfRequest(status: number): boolean {
  return status >= 400 && status < 500 && status !== 429
}
