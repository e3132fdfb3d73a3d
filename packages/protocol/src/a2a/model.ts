import type { JsonObject, JsonValue } from '../json.ts'

/** The states of a task, as A2A 0.3 spells them. */
export const taskStates = [
  'submitted',
  'working',
  'input-required',
  'completed',
  'canceled',
  'failed',
  'rejected',
  'auth-required',
  'unknown',
] as const

export type TaskState = (typeof taskStates)[number]

/** The fields of an object that the types below lack, as one version of A2A wrote them. */
type Rest = { readonly rest?: JsonObject }

export interface A2aTextPart extends Rest {
  readonly type: 'text'
  readonly text: string
  readonly name?: string
  readonly mediaType?: string
  readonly metadata?: JsonObject
}

export interface A2aFilePart extends Rest {
  readonly type: 'file'
  readonly bytes?: string
  readonly uri?: string
  readonly name?: string
  readonly mediaType?: string
  readonly metadata?: JsonObject
  /** Unknown fields of the nested file object, in the version that has one. */
  readonly fileRest?: JsonObject
}

export interface A2aDataPart extends Rest {
  readonly type: 'data'
  readonly data: JsonValue
  readonly name?: string
  readonly mediaType?: string
  readonly metadata?: JsonObject
}

export type A2aPart = A2aTextPart | A2aFilePart | A2aDataPart

export interface A2aMessage extends Rest {
  readonly messageId: string
  readonly role: 'user' | 'agent'
  readonly parts: readonly A2aPart[]
  readonly taskId?: string
  readonly contextId?: string
  readonly metadata?: JsonObject
  readonly extensions?: JsonValue
  readonly referenceTaskIds?: JsonValue
}

export interface A2aStatus extends Rest {
  readonly state: TaskState
  /** The state as written, if this model does not know it. */
  readonly stateName?: string
  readonly message?: A2aMessage
  readonly timestamp?: string
}

export interface A2aArtifact extends Rest {
  readonly artifactId: string
  readonly name?: string
  readonly description?: string
  readonly parts: readonly A2aPart[]
  readonly metadata?: JsonObject
  readonly extensions?: JsonValue
}

export interface A2aTask extends Rest {
  readonly type: 'task'
  readonly taskId?: string
  readonly contextId?: string
  readonly status: A2aStatus
  readonly history?: readonly A2aMessage[]
  readonly artifacts?: readonly A2aArtifact[]
  readonly metadata?: JsonObject
}

export interface A2aMessageFrame {
  readonly type: 'message'
  readonly taskId?: string
  readonly contextId?: string
  readonly message: A2aMessage
}

export interface A2aStatusUpdate extends Rest {
  readonly type: 'status-update'
  readonly taskId?: string
  readonly contextId?: string
  readonly status: A2aStatus
  /** Only in A2A 0.3. */
  readonly final?: boolean
  readonly metadata?: JsonObject
}

export interface A2aArtifactUpdate extends Rest {
  readonly type: 'artifact-update'
  readonly taskId?: string
  readonly contextId?: string
  readonly artifact: A2aArtifact
  readonly append?: boolean
  readonly lastChunk?: boolean
  readonly metadata?: JsonObject
}

/** One event of a stream, in no version's spelling. The dialects translate it from and to theirs. */
export type A2aFrame = A2aTask | A2aMessageFrame | A2aStatusUpdate | A2aArtifactUpdate

export function isTerminal(state: TaskState): boolean {
  return state === 'completed' || state === 'failed' || state === 'canceled' || state === 'rejected'
}

/** The text of all parts, concatenated. */
export function textOf(parts: readonly A2aPart[]): string {
  let text = ''
  for (const part of parts) if (part.type === 'text') text += part.text
  return text
}
