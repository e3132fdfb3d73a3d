import type { Message, Part, SluiceEvent } from '../events.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { fromDeltaSluice, sluiceOf, toEventData } from './carried.ts'
import { fitsArtifact } from './encode-data.ts'
import type { A2aArtifact, A2aFrame, A2aPart } from './model.ts'
import { fromModelPart } from './parts.ts'
import { keptIn } from './skeleton.ts'
import { type A2aView, outputOf } from './view.ts'

export interface Rebuilt {
  readonly frame: A2aFrame
  /** The frame came in the version that is being written. */
  readonly isOwn: boolean
}

/** Rebuilds the frame of these events from its skeleton; undefined if they no longer fit each other. */
export function rebuildFrame(
  view: A2aView,
  events: readonly SluiceEvent[],
  dialects: readonly string[],
): Rebuilt | undefined {
  if (view.hasForeign) return undefined
  for (const event of events) {
    const found = keptIn(event.meta?.ext, dialects)
    if (found === undefined) continue
    const { frame: skeleton } = found.kept
    const filled = skeleton === undefined ? undefined : fill(view, skeleton, sourceOf(events, dialects))
    return filled === undefined ? undefined : { frame: filled, isOwn: found.isOwn }
  }
  return undefined
}

function fill(view: A2aView, skeleton: JsonObject, source: Source): A2aFrame | undefined {
  const ids = { taskId: view.task, contextId: view.context }
  switch (skeleton['type']) {
    case 'task': {
      if (view.isStarted) return undefined
      const { contextless, artifacts, ...kept } = skeleton
      const filled = Array.isArray(artifacts)
        ? artifacts.map((shape) =>
            fillArtifact(shape, source, { metadata: isJsonObject(shape) ? shape['metadata'] : undefined }),
          )
        : []
      if (filled.includes(undefined)) return undefined
      return {
        ...kept,
        taskId: view.task,
        ...(contextless === true ? {} : { contextId: view.context }),
        ...(Array.isArray(artifacts) ? { artifacts: filled } : {}),
      } as unknown as A2aFrame // the skeleton of a task that was read
    }
    case 'message': {
      const message = source.events.find((event): event is Message => event.kind === 'message')
      if (message === undefined || !isJsonObject(skeleton['message'])) return undefined
      return {
        type: 'message',
        ...ids,
        message: {
          ...skeleton['message'],
          messageId: message.id,
          role: message.role,
          parts: message.parts.map((part) => fromModelPart(part, source.dialects)),
          ...(skeleton['taskless'] === true ? {} : { taskId: view.task }),
          ...(skeleton['contextless'] === true ? {} : { contextId: view.context }),
        },
      }
    }
    case 'status-update':
      return { ...skeleton, ...ids } as unknown as A2aFrame // the skeleton of a status that was read
    case 'artifact-update': {
      const { whole, artifact, ...kept } = skeleton
      const { metadata } = kept
      const filled = fillArtifact(artifact, source, { metadata, before: whole === true ? view : undefined })
      if (filled === undefined) return undefined
      return { ...kept, ...ids, artifact: filled } as unknown as A2aFrame // the skeleton of an update that was read
    }
    default:
      return undefined
  }
}

/** The events that texts and parts come from. */
interface Source {
  readonly events: readonly SluiceEvent[]
  /** Events that become data parts, in order, each used once. */
  readonly data: SluiceEvent[]
  readonly dialects: readonly string[]
}

function sourceOf(events: readonly SluiceEvent[], dialects: readonly string[]): Source {
  const data = events.filter((event) => dataKinds.has(event.kind) && event.meta?.implied !== true)
  return { events, data, dialects }
}

const dataKinds: ReadonlySet<string> = new Set([
  'tool-call',
  'tool-call-delta',
  'tool-result',
  'sources',
  'state-data',
  'unknown',
])

interface Circumstances {
  /** The metadata that says what the artifact holds. */
  readonly metadata: JsonValue | undefined
  /** Holds the earlier text, if the frame repeats it. */
  readonly before?: A2aView | undefined
}

/** Puts texts and parts back. */
function fillArtifact(
  shape: JsonValue | undefined,
  source: Source,
  { metadata, before }: Circumstances,
): A2aArtifact | undefined {
  if (!isJsonObject(shape) || !Array.isArray(shape['parts'])) return undefined
  const sluice = isJsonObject(metadata) ? sluiceOf(metadata) : undefined
  const { output } = fromDeltaSluice(sluice, String(shape['artifactId']), '')
  let text = before === undefined ? '' : (outputOf(before, output)?.text ?? '')
  const added: Part[] = []
  for (const event of source.events) {
    if (event.kind === 'text-delta' && event.output === output) text += event.text
    else if (event.kind === 'part-add' && event.output === output) added.push(event.part)
  }
  const parts: A2aPart[] = []
  for (const part of shape['parts']) {
    if (!isJsonObject(part)) return undefined
    if (part['type'] === 'text') {
      const { length, ...kept } = part
      if (typeof length !== 'number' || text.length < length) return undefined
      parts.push({ ...kept, type: 'text', text: text.slice(0, length) })
      text = text.slice(length)
      continue
    }
    const event = part['type'] === 'event' ? source.data.shift() : undefined
    const file = part['type'] === 'event' ? undefined : added.shift()
    // Settling may have renamed the call.
    if (event !== undefined && !fitsArtifact(event, shape as unknown as A2aArtifact)) return undefined // read before
    if (event !== undefined) parts.push({ type: 'data', data: toEventData(event) })
    else if (file !== undefined) parts.push(fromModelPart(file, source.dialects))
    else return undefined
  }
  if (text !== '' || added.length > 0) return undefined
  return { ...shape, parts } as unknown as A2aArtifact // the shape of an artifact that was read
}
