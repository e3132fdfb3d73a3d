import {
  type AgentIdentity,
  type Entry,
  type Notice,
  type Outcome,
  omitUndefined,
  type Part,
  type SessionEnd,
  type SessionError,
  type SluiceEvent,
} from '@sluice/protocol'

/** How a run ended. */
export interface RunEnding {
  readonly outcome: Exclude<Outcome, 'rejected'>
  readonly error?: SessionError
  readonly by?: string
  /** The agent's own session. */
  readonly handle?: string
}

/** A run that the gateway ended, not the agent. */
export function failedBecause(code: string, message: string): RunEnding {
  return { outcome: 'failed', error: { category: 'transient', code, message, recoverable: true } }
}

export function startEvents(
  prompt: string,
  agent: AgentIdentity,
  { isQueued }: { readonly isQueued: boolean },
): readonly SluiceEvent[] {
  const start: SluiceEvent = { kind: 'session-start', request: prompt, meta: { agent } }
  return isQueued ? [start, { kind: 'state-change', to: 'queued' }] : [start]
}

export const begunEvents: readonly SluiceEvent[] = [{ kind: 'state-change', from: 'queued', to: 'thinking' }]

export function endEvent(
  { outcome, error, by }: RunEnding,
  agent: AgentIdentity | undefined,
  durationMs: number | undefined,
): SessionEnd {
  return omitUndefined({
    kind: 'session-end',
    outcome,
    error,
    by,
    durationMs,
    meta: agent === undefined ? undefined : { agent },
  })
}

export const messageNotTaken: Notice = {
  kind: 'notice',
  level: 'warning',
  code: 'message_not_taken',
  text: 'This agent takes no messages while it runs.',
}

export function frameRefused(code: string): Notice {
  return {
    kind: 'notice',
    level: 'error',
    code: 'frame_refused',
    text: `An event of the agent was refused: ${code}.`,
    meta: { channel: 'error' },
  }
}

/** The text of a message; undefined if it has none. */
export function textOf(parts: readonly Part[]): string | undefined {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return texts.length === 0 ? undefined : texts.join('\n')
}

export function hasEnd({ events }: Entry): boolean {
  return events.some(({ kind }) => kind === 'session-end')
}

/** Gives the events of an agent its name here. The agent reveals the rest of its identity step by step. */
export function createNaming(base: AgentIdentity): {
  readonly known: AgentIdentity
  name(events: readonly SluiceEvent[]): readonly SluiceEvent[]
} {
  let known = base
  return {
    get known() {
      return known
    },
    name(events) {
      if (!events.some(({ meta }) => meta?.agent !== undefined)) return events
      return events.map((event) => {
        if (event.meta?.agent === undefined) return event
        known = { ...known, ...event.meta.agent, ...base }
        return { ...event, meta: { ...event.meta, agent: known } }
      })
    },
  }
}
