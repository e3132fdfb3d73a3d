import type { SessionResource } from '@sluice/client'

/** The state of a session: a word for people, and a tone for its mark. */
export interface SessionWords {
  readonly label: string
  readonly tone: 'live' | 'waiting' | 'ok' | 'bad' | 'quiet'
}

const statuses: Readonly<Record<string, string>> = {
  idle: 'Idle',
  queued: 'Queued',
  thinking: 'Thinking',
  understanding: 'Understanding',
  calling_tool: 'Using a tool',
  writing_output: 'Writing',
  awaiting_input: 'Waiting for an answer',
  deciding: 'Deciding',
  handing_off: 'Handing over',
}

const outcomes: Readonly<Record<NonNullable<SessionResource['outcome']>, SessionWords>> = {
  completed: { label: 'Completed', tone: 'ok' },
  failed: { label: 'Failed', tone: 'bad' },
  cancelled: { label: 'Cancelled', tone: 'quiet' },
  rejected: { label: 'Rejected', tone: 'bad' },
}

export function describeStatus(status: string): string {
  return Object.hasOwn(statuses, status) ? (statuses[status] ?? '') : status.replaceAll('_', ' ')
}

export function describeSession({ state, status, outcome }: SessionResource): SessionWords {
  if (state === 'waiting') return { label: 'Waiting for an answer', tone: 'waiting' }
  if (state === 'open') return { label: describeStatus(status), tone: 'live' }
  return outcomes[outcome ?? 'completed']
}

/** The name shown for a session: its title, or else an id. */
export function titleOf({ title, foreign, id }: Pick<SessionResource, 'title' | 'foreign' | 'id'>): string {
  return title?.trim() || foreign || id
}

export function agentOf({ agent }: SessionResource): string {
  return agent?.name ?? agent?.id ?? agent?.kind ?? 'Unknown agent'
}
