import { onlySluice, sluiceOf } from '../../a2a/carried.ts'
import type { WireReading } from '../../a2a/decode.ts'
import type { Chunk } from '../../a2a/decode-chunk.ts'
import { readEnvelope } from '../../a2a/envelope.ts'
import type { A2aFrame, A2aPart, TaskState } from '../../a2a/model.ts'
import { taskStates } from '../../a2a/model.ts'
import { copyField, copyIds, copyRest, createObjectReader, type Draft } from '../../a2a/object-reader.ts'
import { isOldForm } from '../../a2a/old-form.ts'
import { hasKeys, isActiveMetadata } from '../../a2a/profile.ts'
import { isRepairable } from '../../a2a/repair.ts'
import { a2aRules } from '../../a2a/rules.ts'
import { breach, type Finding } from '../../finding.ts'
import { isJsonObject, type JsonObject, type JsonValue, unknownFields } from '../../json.ts'
import { type Checker, createChecker } from '../../schemas/check.ts'
import { fromRest } from './rest.ts'
import { artifactUpdateSchema, messageSchema, statusUpdateSchema, taskSchema } from './wire.ts'

type Kind = A2aFrame['type']

const checkers: Readonly<Record<Kind, Checker>> = {
  task: createChecker(taskSchema, 'A2A 0.3 §6.1'),
  message: createChecker(messageSchema, 'A2A 0.3 §6.4'),
  'status-update': createChecker(statusUpdateSchema, 'A2A 0.3 §7.2.2'),
  'artifact-update': createChecker(artifactUpdateSchema, 'A2A 0.3 §7.2.3'),
}

/**
 * Reads a chunk of the stream_delta profile that appends one text and has only the fields that write.ts gives
 * it.
 */
export function readA2aChunk(value: JsonValue): Chunk | undefined {
  if (!isJsonObject(value) || value['kind'] !== 'artifact-update') return undefined
  if (value['append'] !== true || value['lastChunk'] !== false) return undefined
  const { artifact } = value
  const sluice = onlySluice(value['metadata'])
  if (!hasKeys(value, sluice === undefined ? 6 : 7)) return undefined
  if (!isJsonObject(artifact) || !hasKeys(artifact, 4)) return undefined
  const { artifactId, name, metadata, parts } = artifact
  if (!Array.isArray(parts) || parts.length !== 1) return undefined
  const part: JsonValue = parts[0]
  if (!isJsonObject(part) || part['kind'] !== 'text' || typeof part['text'] !== 'string') return undefined
  if (!hasKeys(part, 2) || !isJsonObject(metadata) || !isActiveMetadata(metadata)) return undefined
  const { taskId, contextId } = value
  return { taskId, contextId, artifactId, name, text: part['text'], sluice }
}

/** Reads the JSON of A2A 0.3, with or without JSON-RPC around it, and the JSON of its REST binding. */
export function readA2a(value: JsonValue): WireReading {
  const { inner, path, error } = readEnvelope(value)
  if (error !== undefined) return { ok: false, events: [error], findings: [] }
  if (!isJsonObject(inner)) return unknown('frame', value, [breach(a2aRules.notStreamEvent, path)])
  const rest = fromRest(inner)
  const object = rest ?? inner
  const kind = kindOf(object)
  if (kind === undefined) {
    const name = object['kind']
    return typeof name === 'string'
      ? unknown(name, value, [])
      : unknown('frame', value, [breach(a2aRules.notStreamEvent, path)])
  }
  const checker = checkers[kind]
  if (checker.isExact(object))
    return {
      ok: true,
      frame: toFrame(kind, object),
      path,
      findings: [],
      exact: path === '' && rest === undefined,
    }
  const findings = checker.findings(object).map((finding) => ({ ...finding, path: path + finding.path }))
  if (!findings.every(isRepairable)) return unknown(kind, value, findings)
  return { ok: true, frame: toFrame(kind, object), path, findings, exact: false }
}

/** Strictly checks a frame. */
export function validateA2a(value: JsonValue): readonly Finding[] {
  const kind = isJsonObject(value) ? kindOf(value) : undefined
  return kind === undefined ? [breach(a2aRules.notStreamEvent, '')] : checkers[kind].exactFindings(value)
}

function unknown(type: string, data: JsonValue, findings: readonly Finding[]): WireReading {
  return { ok: false, events: [{ kind: 'unknown', type, data }], findings }
}

/** The kind in the discriminator, or the only kind that has these fields if the discriminator is missing. */
function kindOf(object: JsonObject): Kind | undefined {
  const { kind } = object
  if (typeof kind === 'string') return Object.hasOwn(checkers, kind) ? (kind as Kind) : undefined // a key
  if (kind !== undefined) return undefined
  if (isJsonObject(object['artifact'])) return 'artifact-update'
  if (isJsonObject(object['status'])) return typeof object['id'] === 'string' ? 'task' : 'status-update'
  return Array.isArray(object['parts']) && typeof object['role'] === 'string' ? 'message' : undefined
}

const fields = {
  task: new Set(['kind', 'id', 'contextId', 'status', 'history', 'artifacts', 'metadata']),
  'status-update': new Set(['kind', 'taskId', 'contextId', 'status', 'final', 'metadata']),
  'artifact-update': new Set(['kind', 'taskId', 'contextId', 'artifact', 'append', 'lastChunk', 'metadata']),
  text: new Set(['kind', 'text', 'metadata']),
  file: new Set(['kind', 'file', 'metadata']),
  fileObject: new Set(['bytes', 'uri', 'name', 'mimeType']),
  data: new Set(['kind', 'data', 'metadata']),
} as const

const states: ReadonlyMap<string, TaskState> = new Map(taskStates.map((state) => [state, state]))
const reader = createObjectReader({
  userRole: 'user',
  messageFields: ['kind'],
  toState: (name) => states.get(name),
  toPart,
})

/**
 * The value fits its schema, except that ids may be missing: every field has the type that it should have.
 */
function toFrame(kind: Kind, value: JsonObject): A2aFrame {
  const frame: Draft = { type: kind }
  copyIds(frame, value, kind === 'task' ? 'id' : 'taskId')
  if (kind === 'message') {
    frame['message'] = reader.toMessage(value)
    return frame as unknown as A2aFrame // built to fit
  }
  if (kind === 'artifact-update') {
    frame['artifact'] = reader.toArtifact(value['artifact'] as JsonObject) // checked
    copyField(frame, value, 'append')
    copyField(frame, value, 'lastChunk')
  } else {
    frame['status'] = reader.toStatus(value['status'] as JsonObject) // checked
    if (kind === 'status-update') copyField(frame, value, 'final')
    const { history, artifacts } = value
    if (kind === 'task' && history !== undefined)
      frame['history'] = (history as readonly JsonObject[]).map(reader.toMessage) // checked
    if (kind === 'task' && artifacts !== undefined)
      frame['artifacts'] = (artifacts as readonly JsonObject[]).map(reader.toArtifact) // checked
  }
  copyField(frame, value, 'metadata')
  copyRest(frame, value, fields[kind])
  return frame as unknown as A2aFrame // built to fit
}

function toPart(value: JsonObject): A2aPart {
  const part: Draft = { type: value['kind'] }
  copyField(part, value, 'metadata')
  if (value['kind'] === 'text') {
    part['text'] = value['text']
    copyRest(part, value, fields.text)
  } else if (value['kind'] === 'data') {
    // 0.3 allows only objects; write.ts wraps other values in one.
    const isInside = sluiceOf(value['metadata'] as JsonObject | undefined)?.['data'] === 'value' // checked
    part['data'] = isInside ? ((value['data'] as JsonObject)['value'] ?? null) : value['data'] // checked
    if (isInside) delete part['metadata']
    copyRest(part, value, fields.data)
  } else {
    const file = value['file'] as JsonObject // checked
    copyField(part, file, 'bytes')
    copyField(part, file, 'uri')
    copyField(part, file, 'name')
    if (file['mimeType'] !== undefined) part['mediaType'] = file['mimeType']
    const fileRest = unknownFields(file, fields.fileObject)
    if (fileRest !== undefined) part['fileRest'] = fileRest
    copyRest(part, value, fields.file)
  }
  return part as unknown as A2aPart // built to fit
}

/** True for the four kinds of 0.3, and for its REST form if that has a mark that later versions lack. */
export function recognizesA2a(value: JsonValue): boolean {
  const { inner } = readEnvelope(value)
  if (!isJsonObject(inner)) return false
  const { kind } = inner
  if (kind === 'status-update' || kind === 'artifact-update') return true
  if (kind === 'task') return isJsonObject(inner['status'])
  if (kind === 'message') return Array.isArray(inner['parts'])
  return kind === undefined && isOldForm(inner)
}
