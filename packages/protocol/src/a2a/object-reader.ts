import { type JsonObject, unknownFields } from '../json.ts'
import type { A2aArtifact, A2aMessage, A2aPart, A2aStatus, TaskState } from './model.ts'
import { streamDelta } from './profile.ts'

/** How a version spells what the objects of all versions share. */
export interface Spelling {
  readonly userRole: string
  /** Fields of a message besides the common ones. */
  readonly messageFields: readonly string[]
  /** The state of this name; undefined if it is unknown. */
  toState(name: string): TaskState | undefined
  toPart(value: JsonObject): A2aPart
}

/**
 * Reads values that fit their schema, except that ids may be missing: every field has the type that it should
 * have.
 */
export interface ObjectReader {
  toStatus(value: JsonObject): A2aStatus
  toMessage(value: JsonObject): A2aMessage
  toArtifact(value: JsonObject): A2aArtifact
}

/** An object under construction. */
export type Draft = Record<string, unknown>

export function createObjectReader(spelling: Spelling): ObjectReader {
  const messageFields = new Set([...commonMessageFields, ...spelling.messageFields])

  const toMessage = (value: JsonObject): A2aMessage => {
    const message: Draft = {
      messageId: nonEmpty(value['messageId']) ?? 'message',
      role: value['role'] === spelling.userRole ? 'user' : 'agent',
      parts: (value['parts'] as readonly JsonObject[]).map(spelling.toPart), // checked
    }
    copyIds(message, value, 'taskId')
    copyField(message, value, 'metadata')
    copyField(message, value, 'extensions')
    copyField(message, value, 'referenceTaskIds')
    copyRest(message, value, messageFields)
    return message as unknown as A2aMessage // built to fit
  }

  return {
    toMessage,
    toStatus(value) {
      const name = value['state'] as string // checked
      const state = spelling.toState(name)
      const status: Draft = { state: state ?? 'unknown', ...(state === undefined ? { stateName: name } : {}) }
      if (value['message'] !== undefined) status['message'] = toMessage(value['message'] as JsonObject) // checked
      copyField(status, value, 'timestamp')
      copyRest(status, value, statusFields)
      return status as unknown as A2aStatus // built to fit
    },
    toArtifact(value) {
      const artifact: Draft = {
        // The examples of the stream_delta profile omit the id.
        artifactId: nonEmpty(value['artifactId']) ?? streamDelta,
        parts: (value['parts'] as readonly JsonObject[]).map(spelling.toPart), // checked
      }
      copyField(artifact, value, 'name')
      copyField(artifact, value, 'description')
      copyField(artifact, value, 'metadata')
      copyField(artifact, value, 'extensions')
      copyRest(artifact, value, artifactFields)
      return artifact as unknown as A2aArtifact // built to fit
    },
  }
}

const statusFields = new Set(['state', 'message', 'timestamp'])
const artifactFields = new Set(['artifactId', 'name', 'description', 'parts', 'metadata', 'extensions'])
const commonMessageFields = [
  'messageId',
  'role',
  'parts',
  'taskId',
  'contextId',
  'metadata',
  'extensions',
  'referenceTaskIds',
]

/** Copies the ids of task and context that are not empty; `task` names the field of the task id. */
export function copyIds(target: Draft, value: JsonObject, task: 'id' | 'taskId'): void {
  const taskId = nonEmpty(value[task])
  const contextId = nonEmpty(value['contextId'])
  if (taskId !== undefined) target['taskId'] = taskId
  if (contextId !== undefined) target['contextId'] = contextId
}

export function copyField(target: Draft, value: JsonObject, key: string): void {
  if (value[key] !== undefined) target[key] = value[key]
}

/** Copies the fields of `value` that are not `known` to `rest`. */
export function copyRest(target: Draft, value: JsonObject, known: ReadonlySet<string>): void {
  const rest = unknownFields(value, known)
  if (rest !== undefined) target['rest'] = rest
}

function nonEmpty(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
