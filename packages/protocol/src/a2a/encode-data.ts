import type {
  SluiceEvent,
  Sources,
  StateData,
  ToolCall,
  ToolCallDelta,
  ToolResult,
  Unknown,
} from '../events.ts'
import { boundDepth } from './bound-depth.ts'
import { carriedMeta, eventParts, toEventData } from './carried.ts'
import type { Place } from './encode-status.ts'
import type { A2aArtifact, A2aArtifactUpdate, A2aDataPart } from './model.ts'
import { safeId } from './safe-id.ts'
import type { A2aView } from './view.ts'

type DataEvent = ToolCall | ToolCallDelta | ToolResult | Sources | StateData | Unknown

/** An event that A2A has no object for, as a data part. `view` is the one before the event. */
export function encodeData(view: A2aView, event: DataEvent, place: Place): A2aArtifactUpdate {
  const meta = carriedMeta(event.meta)
  return {
    type: 'artifact-update',
    taskId: view.task,
    contextId: view.context,
    append: isAppended(view, event),
    lastChunk: event.kind === 'tool-result',
    artifact: { ...headOf(event, place), parts: [toDataPart(event)] },
    metadata: { sluice: { parts: eventParts, ...(meta === undefined ? {} : { meta: boundDepth(meta) }) } },
  }
}

/** The event as it can be read by a program that knows nothing of Sluice. */
export function toDataPart(event: DataEvent): A2aDataPart {
  return { type: 'data', data: boundDepth(toEventData(event)) }
}

export function toolArtifact(call: string): string {
  return `tool.${safeId(call)}`
}

/** Whether an event may stand in this artifact: that of a tool has the call in its id and the tool as its name. */
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
