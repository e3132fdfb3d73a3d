import type { Entry, SluiceEvent } from '@sluice/protocol'

/** How urgent an event is (AAEP §3). */
export type Rank = 'critical' | 'normal' | 'background'

/**
 * Kinds that no rule of order ties to another event. They include text, because reasoning is sent as a state.
 */
export const droppableKinds: ReadonlySet<SluiceEvent['kind']> = new Set([
  'state-change',
  'progress',
  'notice',
  'usage',
  'sources',
  'state-data',
  'unknown',
  'text-delta',
])

const backgroundKinds: ReadonlySet<SluiceEvent['kind']> = new Set([
  ...droppableKinds,
  'part-add',
  'tool-call-delta',
])

export function rankOf(event: SluiceEvent): Rank {
  const { kind, meta } = event
  if (kind === 'question-open' || kind === 'handoff') return 'critical'
  if (kind === 'session-end' && (event.outcome === 'failed' || event.outcome === 'rejected'))
    return 'critical'
  if (meta?.urgency !== undefined) return meta.urgency
  if (kind === 'text-delta' && event.channel === 'reasoning') return 'background'
  if (kind === 'notice' && (event.level === 'warning' || event.level === 'error')) return 'normal'
  return backgroundKinds.has(kind) && kind !== 'text-delta' ? 'background' : 'normal'
}

/** Whether an entry contains a critical event. */
export function isUrgent({ events }: Entry): boolean {
  return events.some((event) => rankOf(event) === 'critical')
}
