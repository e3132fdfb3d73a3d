import type { SessionResource } from '@sluice/client'

/** How a session stands: a word for people, and a tone for its mark. */
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

export function describeStatus(status: string): string {
  return Object.hasOwn(statuses, status) ? (statuses[status] ?? '') : status.replaceAll('_', ' ')
}

export function describeSession({ state, status, outcome }: SessionResource): SessionWords {
  if (state === 'waiting') return { label: 'Waiting for an answer', tone: 'waiting' }
  if (state === 'open') return { label: describeStatus(status), tone: 'live' }
  switch (outcome) {
    case 'failed':
      return { label: 'Failed', tone: 'bad' }
    case 'cancelled':
      return { label: 'Cancelled', tone: 'quiet' }
    case 'rejected':
      return { label: 'Rejected', tone: 'bad' }
    default:
      return { label: 'Completed', tone: 'ok' }
  }
}

/** What a session is called: its request, or whatever names it. */
export function titleOf({ title, foreign, id }: Pick<SessionResource, 'title' | 'foreign' | 'id'>): string {
  return title?.trim() || foreign || id
}

export function agentOf({ agent }: SessionResource): string {
  return agent?.name ?? agent?.id ?? agent?.kind ?? 'Unknown agent'
}
