import type {
  SluiceEvent,
  Sources,
  StateData,
  ToolCall,
  ToolCallDelta,
  ToolResult,
  Unknown,
} from '../events.ts'
import { omitUndefined } from '../omit-undefined.ts'
import { boundDepth } from './bound-depth.ts'
import { carriedMeta, eventParts, toEventData } from './carried.ts'
import type { A2aArtifact, A2aArtifactUpdate, A2aDataPart } from './model.ts'
import type { Place } from './moment.ts'
import { safeId } from './safe-id.ts'
import type { A2aView } from './view.ts'

type DataEvent = ToolCall | ToolCallDelta | ToolResult | Sources | StateData | Unknown

/** An event that A2A has no object for, as a data part. `view` is the view before the event. */
export function encodeData(view: A2aView, event: DataEvent, place: Place): A2aArtifactUpdate {
  const meta = carriedMeta(event.meta)
  return {
    type: 'artifact-update',
    taskId: view.task,
    contextId: view.context,
    append: isAppended(view, event),
    lastChunk: event.kind === 'tool-result',
    artifact: { ...headOf(event, place), parts: [toDataPart(event)] },
    metadata: {
      sluice: omitUndefined({ parts: eventParts, meta: meta === undefined ? undefined : boundDepth(meta) }),
    },
  }
}

/** The event in a form for programs that know nothing about Sluice. */
export function toDataPart(event: DataEvent): A2aDataPart {
  return { type: 'data', data: boundDepth(toEventData(event)) }
}

export function toolArtifact(call: string): string {
  return `tool.${safeId(call)}`
}

/**
 * Whether an event may be in this artifact: a tool's artifact has the call in its id and the tool as its
 * name.
 */
export function fitsArtifact(
  event: SluiceEvent,
  { artifactId, name = '' }: Pick<A2aArtifact, 'artifactId' | 'name'>,
): boolean {
  if (!('call' in event)) return true
  return artifactId === toolArtifact(event.call) && (!('tool' in event) || event.tool.toWellFormed() === name)
}

export const stateArtifact = 'state'

function headOf(event: DataEvent, place: Place): { artifactId: string; name?: string } {
  switch (event.kind) {
    case 'tool-call':
    case 'tool-result':
      return { artifactId: toolArtifact(event.call), ...nameFor(event.tool) }
    case 'tool-call-delta':
      return { artifactId: toolArtifact(event.call) }
    case 'state-data':
      return { artifactId: stateArtifact, name: 'state' }
    case 'sources':
    case 'unknown':
      return { artifactId: `${event.kind}.${place.seq}.${place.unit}`, name: event.kind }
  }
}

function nameFor(tool: string): { name?: string } {
  return tool === '' ? {} : { name: tool.toWellFormed() }
}

function isAppended(view: A2aView, event: DataEvent): boolean {
  if (event.kind === 'tool-call-delta' || event.kind === 'tool-result') return true
  return event.kind === 'state-data' && event.snapshot === undefined && view.hasState
}
