import { onlySluice } from '../../a2a/carried.ts'
import type { WireReading } from '../../a2a/decode.ts'
import type { Chunk } from '../../a2a/decode-chunk.ts'
import { readEnvelope } from '../../a2a/envelope.ts'
import type { A2aFrame, A2aPart, TaskState } from '../../a2a/model.ts'
import { taskStates } from '../../a2a/model.ts'
import { copyField, copyIds, copyRest, createObjectReader, type Draft } from '../../a2a/object-reader.ts'
import { isOldForm } from '../../a2a/old-form.ts'
import { hasKeys, isActiveMetadata } from '../../a2a/profile.ts'
import { isRepairable } from '../../a2a/repair.ts'
import { breach, type Finding } from '../../finding.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { type Checker, createChecker } from '../../schemas/check.ts'
import { a2aV1Rules } from './sequence.ts'
import { artifactUpdateSchema, messageSchema, statusUpdateSchema, taskSchema, toStateName } from './wire.ts'

type Member = 'task' | 'message' | 'statusUpdate' | 'artifactUpdate'

const checkers: Readonly<Record<Member, Checker>> = {
  task: createChecker(taskSchema, 'A2A 1.0 §4.1.1'),
  message: createChecker(messageSchema, 'A2A 1.0 §4.1.4'),
  statusUpdate: createChecker(statusUpdateSchema, 'A2A 1.0 §4.2.1'),
  artifactUpdate: createChecker(artifactUpdateSchema, 'A2A 1.0 §4.2.2'),
}

/**
 * Reads a chunk of the stream_delta profile that appends one text and has only the fields that write.ts gives
 * it.
 */
export function readA2aV1Chunk(value: JsonValue): Chunk | undefined {
  if (!isJsonObject(value) || !hasKeys(value, 1)) return undefined
  const update = value['artifactUpdate']
  if (!isJsonObject(update) || update['append'] !== true) return undefined
  const { artifact } = update
  const sluice = onlySluice(update['metadata'])
  if (!hasKeys(update, sluice === undefined ? 4 : 5)) return undefined
  if (!isJsonObject(artifact) || !hasKeys(artifact, 4)) return undefined
  const { artifactId, name, metadata, parts } = artifact
  if (!Array.isArray(parts) || parts.length !== 1) return undefined
  const part: JsonValue = parts[0]
  if (!isJsonObject(part) || typeof part['text'] !== 'string' || !hasKeys(part, 1)) return undefined
  if (!isJsonObject(metadata) || !isActiveMetadata(metadata)) return undefined
  const { taskId, contextId } = update
  return { taskId, contextId, artifactId, name, text: part['text'], sluice }
}

/** Reads a StreamResponse of A2A 1.0, with or without JSON-RPC around it. */
export function readA2aV1(value: JsonValue): WireReading {
  const { inner, path, error } = readEnvelope(value)
  if (error !== undefined) return { ok: false, events: [error], findings: [] }
  if (!isJsonObject(inner)) return unknown('frame', value, [breach(a2aV1Rules.notStreamEvent, path)])
  const found = memberOf(inner)
  if (found === undefined) {
    const [name] = Object.keys(inner)
    return name === undefined
      ? unknown('frame', value, [breach(a2aV1Rules.notStreamEvent, path)])
      : unknown(name, value, [])
  }
  const { member, isAlone } = found
  if (!isAlone) return unknown(member, value, [breach(a2aV1Rules.severalMembers, path)])
  const object = inner[member]
  const place = `${path}/${member}`
  const checker = checkers[member]
  if (checker.isExact(object)) {
    // No event keeps members besides this one.
    const isWhole = path === '' && Object.keys(inner).length === 1
    return {
      ok: true,
      frame: toFrame(member, object as JsonObject),
      path: place,
      findings: [],
      exact: isWhole,
    } // checked
  }
  const findings = checker.findings(object).map((finding) => ({ ...finding, path: place + finding.path }))
  if (!findings.every(isRepairable)) return unknown(member, value, findings)
  return { ok: true, frame: toFrame(member, object as JsonObject), path: place, findings, exact: false } // ids unchecked
}

/** Strictly checks a frame. */
export function validateA2aV1(value: JsonValue): readonly Finding[] {
  const found = isJsonObject(value) ? memberOf(value) : undefined
  if (found === undefined || !isJsonObject(value)) return [breach(a2aV1Rules.notStreamEvent, '')]
  const { member, isAlone } = found
  if (!isAlone) return [breach(a2aV1Rules.severalMembers, '')]
  return checkers[member].exactFindings(value[member])
}

/** True for a frame with a member of StreamResponse and without a mark of 0.3. */
export function recognizesA2aV1(value: JsonValue): boolean {
  const { inner } = readEnvelope(value)
  if (!isJsonObject(inner) || inner['kind'] !== undefined || inner['type'] !== undefined) return false
  const found = memberOf(inner)
  const object = found === undefined ? undefined : inner[found.member]
  if (found === undefined || !isJsonObject(object) || isOldForm(inner)) return false
  if (found.member === 'artifactUpdate') return isJsonObject(object['artifact'])
  return found.member === 'message' ? Array.isArray(object['parts']) : isJsonObject(object['status'])
}

function unknown(type: string, data: JsonValue, findings: readonly Finding[]): WireReading {
  return { ok: false, events: [{ kind: 'unknown', type, data }], findings }
}

function memberOf(value: JsonObject): { readonly member: Member; readonly isAlone: boolean } | undefined {
  let member: Member | undefined
  for (const name in checkers) {
    if (!Object.hasOwn(value, name)) continue
    if (member !== undefined) return { member, isAlone: false }
    member = name as Member // a key of `checkers`
  }
  return member === undefined ? undefined : { member, isAlone: true }
}

const fields = {
  task: new Set(['id', 'contextId', 'status', 'history', 'artifacts', 'metadata']),
  statusUpdate: new Set(['taskId', 'contextId', 'status', 'metadata']),
  artifactUpdate: new Set(['taskId', 'contextId', 'artifact', 'append', 'lastChunk', 'metadata']),
  part: new Set(['text', 'raw', 'url', 'data', 'filename', 'mediaType', 'metadata']),
} as const

const types = {
  task: 'task',
  message: 'message',
  statusUpdate: 'status-update',
  artifactUpdate: 'artifact-update',
} as const

const states: ReadonlyMap<string, TaskState> = new Map([
  ...taskStates.map((state) => [toStateName(state), state] as const),
  // The ProtoJSON of 0.3 spells it with a double l.
  ['TASK_STATE_CANCELLED', 'canceled'],
])
const reader = createObjectReader({
  userRole: 'ROLE_USER',
  messageFields: [],
  toState: (name) => states.get(name),
  toPart,
})

/**
 * The value fits its schema, except that ids may be missing: every field has the type that it should have.
 */
function toFrame(member: Member, value: JsonObject): A2aFrame {
  const frame: Draft = { type: types[member] }
  copyIds(frame, value, member === 'task' ? 'id' : 'taskId')
  if (member === 'message') {
    frame['message'] = reader.toMessage(value)
    return frame as unknown as A2aFrame // built to fit
  }
  if (member === 'artifactUpdate') {
    frame['artifact'] = reader.toArtifact(value['artifact'] as JsonObject) // checked
    copyField(frame, value, 'append')
    copyField(frame, value, 'lastChunk')
  } else {
    frame['status'] = reader.toStatus(value['status'] as JsonObject) // checked
    const { history, artifacts } = value
    if (member === 'task' && history !== undefined)
      frame['history'] = (history as readonly JsonObject[]).map(reader.toMessage) // checked
    if (member === 'task' && artifacts !== undefined)
      frame['artifacts'] = (artifacts as readonly JsonObject[]).map(reader.toArtifact) // checked
  }
  copyField(frame, value, 'metadata')
  copyRest(frame, value, fields[member])
  return frame as unknown as A2aFrame // built to fit
}

function toPart(value: JsonObject): A2aPart {
  const part: Draft = toContent(value)
  if (value['filename'] !== undefined) part['name'] = value['filename']
  copyField(part, value, 'mediaType')
  copyField(part, value, 'metadata')
  copyRest(part, value, fields.part)
  return part as unknown as A2aPart // built to fit
}

function toContent({ text, raw, url, data }: JsonObject): Draft {
  if (text !== undefined) return { type: 'text', text }
  if (raw !== undefined) return { type: 'file', bytes: raw }
  return url === undefined ? { type: 'data', data: data ?? null } : { type: 'file', uri: url }
}
