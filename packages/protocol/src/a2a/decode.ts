import type { Decoded, Decoder } from '../dialect.ts'
import type { SluiceEvent } from '../events.ts'
import type { Finding } from '../finding.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { omitUndefined } from '../omit-undefined.ts'
import { tableGet } from '../table.ts'
import { isWellFormedJson } from '../well-formed-json.ts'
import { decodeArtifactUpdate } from './decode-artifact.ts'
import { type Chunk, decodeChunk, type OwnMark } from './decode-chunk.ts'
import { decodeStatus, toMessage } from './decode-status.ts'
import { decodeTask } from './decode-task.ts'
import type { A2aArtifactUpdate, A2aFrame, A2aStatus } from './model.ts'
import { type A2aSequence, find, maxTold, type Reading } from './reading.ts'
import { a2aRules } from './rules.ts'
import { toSkeleton } from './skeleton.ts'

/** A frame as one version of A2A reads it. */
export type WireReading =
  | {
      readonly ok: true
      readonly frame: A2aFrame
      /** JSON pointer to the object inside the frame. */
      readonly path: string
      readonly findings: readonly Finding[]
      readonly exact: boolean
    }
  | { readonly ok: false; readonly events: readonly SluiceEvent[]; readonly findings: readonly Finding[] }

/** What a version of A2A adds to the common part. */
export interface A2aWire {
  readonly id: string
  /**
   * Reads a chunk that appends one text as the encoder writes it, by far the most frequent frame; undefined
   * for any other.
   */
  readChunk(value: JsonValue): Chunk | undefined
  read(value: JsonValue): WireReading
  /** True if the update has the flags that this version writes. */
  hasOwnFlags(update: A2aArtifactUpdate): boolean
  /** Checks the sequence rules that only this version has. */
  check(reading: Reading, frame: A2aFrame): void
}

const none: readonly Finding[] = []
const initial: A2aSequence = { begun: false, told: [] }
const timestampPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i

export function createA2aDecoder(wire: A2aWire): Decoder<A2aSequence> {
  const own: OwnMark = { dialect: wire.id, meta: { ext: { [wire.id]: {} } } }
  return {
    initial: () => initial,
    step(state, { value, text }, session): Decoded<A2aSequence> {
      // JSON writes a lone surrogate as an escape that not every client can read.
      const isReadable = !text.includes('\\ud') || isWellFormedJson(value)
      const chunk = isReadable ? wire.readChunk(value) : undefined
      const delta = chunk === undefined ? undefined : decodeChunk(chunk, { state, session }, own)
      if (delta !== undefined)
        return { state, events: [delta], findings: none, exact: session.context !== undefined }
      const read = wire.read(value)
      if (!read.ok) return { state: begun(state), events: read.events, findings: read.findings, exact: false }
      const { frame } = read
      const reading: Reading = {
        dialect: wire.id,
        session,
        state,
        path: read.path,
        events: [],
        findings: [...read.findings],
        told: [],
        artifacts: new Map(),
      }
      checkIds(reading, frame)
      wire.check(reading, frame)
      const isRepeated = frame.type === 'task' && (state.begun || session.started)
      const kept = decodeFrame(reading, frame, wire)
      const isExact =
        read.exact &&
        !isRepeated &&
        isReadable &&
        (frame.contextId === undefined || session.context !== undefined)
      return {
        state: advance(state, frame, reading.told),
        events: isRepeated ? marked(reading) : keep(reading, kept, own),
        findings: reading.findings,
        exact: isExact,
      }
    },
  }
}

/** Returns what must be kept of the frame, or undefined if its events say everything. */
function decodeFrame(reading: Reading, frame: A2aFrame, wire: A2aWire): JsonObject | undefined {
  const isFirst = !reading.state.begun && !reading.session.started
  switch (frame.type) {
    case 'task':
      decodeTask(reading, { ...frame, status: checkStatus(reading, frame.status) })
      return toSkeleton(frame)
    case 'message':
      reading.events.push(toMessage(reading, frame.message, {}))
      // An agent's message without a task is the whole answer (A2A 1.0 §3.1.2).
      if (isFirst && frame.message.role === 'agent')
        reading.events.push({ kind: 'session-end', outcome: 'completed', meta: { implied: true } })
      else if (isFirst) find(reading, a2aRules.taskFirst, '')
      return toSkeleton(frame)
    case 'status-update':
      if (isFirst) find(reading, a2aRules.taskFirst, '')
      decodeStatus(reading, checkStatus(reading, frame.status), frame.metadata)
      return toSkeleton(frame)
    case 'artifact-update': {
      if (isFirst) find(reading, a2aRules.taskFirst, '')
      const { isPlain, isWhole } = decodeArtifactUpdate(reading, frame)
      return isPlain && wire.hasOwnFlags(frame) ? undefined : toSkeleton(frame, { isWhole })
    }
  }
}

function checkStatus(reading: Reading, status: A2aStatus): A2aStatus {
  const { timestamp, ...rest } = status
  if (timestamp === undefined || timestampPattern.test(timestamp)) return status
  find(reading, a2aRules.badTimestamp, '/status/timestamp')
  return rest
}

function checkIds(reading: Reading, frame: A2aFrame): void {
  const { task, context } = reading.state
  const id = frame.type === 'task' ? '/id' : '/taskId'
  if (task !== undefined && frame.taskId !== undefined && frame.taskId !== task)
    find(reading, a2aRules.taskChanged, id)
  if (context !== undefined && frame.contextId !== undefined && frame.contextId !== context)
    find(reading, a2aRules.contextChanged, '/contextId')
}

/** Keeps the frame with its first event, and marks each event that opens an output as one of an artifact. */
function keep(reading: Reading, frame: JsonObject | undefined, own: OwnMark): readonly SluiceEvent[] {
  const { events, dialect } = reading
  const [first] = events
  if (first === undefined) return events
  const artifact = artifactOf(reading, first)
  if (frame === undefined && artifact === undefined && first.meta === undefined) {
    events[0] = { ...first, meta: own.meta }
    return events
  }
  const kept: Record<string, JsonValue> = {}
  if (artifact !== undefined) kept['artifact'] = artifact
  if (frame !== undefined) kept['frame'] = frame
  events[0] = { ...first, meta: { ...first.meta, ext: { [dialect]: kept } } }
  return events.length === 1 ? events : marked(reading)
}

function marked(reading: Reading): readonly SluiceEvent[] {
  return reading.events.map((event) => {
    if (event.meta?.ext !== undefined || !('output' in event)) return event
    if (tableGet(reading.session.outputs, event.output) !== undefined) return event
    const kept = omitUndefined({ artifact: artifactOf(reading, event) })
    return { ...event, meta: { ...event.meta, ext: { [reading.dialect]: kept } } }
  })
}

/** The artifact of an output that `event` opens, if their ids differ. */
function artifactOf({ session, artifacts }: Reading, event: SluiceEvent): string | undefined {
  if (!('output' in event) || tableGet(session.outputs, event.output) !== undefined) return undefined
  const artifact = artifacts.get(event.output)
  return artifact === event.output ? undefined : artifact
}

function begun(state: A2aSequence): A2aSequence {
  return state.begun ? state : { ...state, begun: true }
}

function advance(state: A2aSequence, frame: A2aFrame, told: readonly string[]): A2aSequence {
  const { taskId, contextId } = frame
  const isKnown =
    (state.task !== undefined || taskId === undefined) &&
    (state.context !== undefined || contextId === undefined)
  if (state.begun && isKnown && told.length === 0) return state
  const task = state.task ?? taskId
  const context = state.context ?? contextId
  return omitUndefined({
    begun: true,
    task,
    context,
    told: told.length === 0 ? state.told : [...state.told, ...told].slice(-maxTold),
  })
}
