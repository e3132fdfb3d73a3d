import {
  admitMade,
  createIntake,
  createSessionState,
  type Dialect,
  type Entry,
  type JsonValue,
  type SluiceEvent,
  startCursor,
} from '@sluice/protocol'
import { dialectById } from '@sluice/protocol/dialects'
import fc from 'fast-check'
import type { Incoming } from '../kernel/sessions/admission.ts'

const startAt = Date.UTC(2026, 0, 1)
const native = dialectById('sluice')

/** Lines of a stream-event producer: plain text, no ids. */
export function chunk(text: string): string {
  return JSON.stringify({ type: 'answer_chunk', data: { content: text } })
}

/** An AAEP event with a complete envelope. */
export function aaepEvent(
  { session, name, id }: { readonly session: string; readonly name: string; readonly id: string },
  fields: Readonly<Record<string, JsonValue>> = {},
): string {
  return JSON.stringify({
    '@context': 'https://aaep-protocol.org/context/v1',
    type: `aaep:agent.${name}`,
    event_id: `evt_${id}`,
    session_id: session,
    timestamp: '2026-05-24T14:22:11.342Z',
    producer: { agent_id: 'tester' },
    localization_hints: { primary_language: 'en' },
    ...fields,
  })
}

/** A confirmation that waits for an answer. */
export function aaepConfirmation(session: string, id: string, token: string): string {
  return aaepEvent(
    { session, name: 'awaiting.confirmation', id },
    {
      urgency: 'critical',
      action: 'Delete the folder.',
      consequence: 'Its files are gone.',
      reply_token: token,
      timeout_seconds: 60,
      default_decision: 'reject',
    },
  )
}

/** An entry as the native dialect publishes it. */
export function published(...events: readonly SluiceEvent[]): string {
  return JSON.stringify({ v: 1, events })
}

/** Texts as a batch to publish. */
export function toBatch(...texts: readonly string[]): readonly Incoming[] {
  return texts.map((text, index) => ({ ok: true, text, line: index + 1 }))
}

/** The entries of a session that Sluice made itself, one per group of events. */
export function makeEntries(id: string, groups: readonly (readonly SluiceEvent[])[]): readonly Entry[] {
  let intake = createIntake(createSessionState({ id }))
  const entries: Entry[] = []
  for (const [index, events] of groups.entries()) {
    const made = { at: startAt + index * 7, direction: 'event', source: { dialect: 'none' } } as const
    const admission = admitMade(intake, events, made)
    if (!admission.ok) break
    intake = admission.intake
    entries.push(admission.entry)
  }
  return entries
}

/**
 * The same session as the lines of a producer that speaks `dialect`. The native lines are events to publish:
 * a forwarded entry would bring its own head, and its decoder starts over when the session is opened again.
 */
export function toLines(
  dialect: Dialect,
  id: string,
  groups: readonly (readonly SluiceEvent[])[],
): readonly string[] {
  if (dialect === native) return makeEntries(id, groups).map(({ events }) => published(...events))
  const entered = dialect.encode.enter(createSessionState({ id }), startCursor)
  const lines = entered.frames.map((frame) => frame.data)
  let { state } = entered
  for (const entry of makeEntries(id, groups)) {
    const encoded = dialect.encode.step(state, entry)
    state = encoded.state
    lines.push(...encoded.frames.map((frame) => frame.data))
  }
  return lines
}

const anyText = fc.oneof(
  fc.constantFrom('Hello. ', 'A word', ' and more', 'Dr. ', 'né', '😀', '\n\n', '。次', 'x'.repeat(90)),
  fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }),
)
const anyOutput = fc.constantFrom('out-1', 'out-2')

const anyEvent: fc.Arbitrary<SluiceEvent> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('text-delta' as const),
      output: anyOutput,
      take: fc.constant(0),
      position: fc.constant(0),
      text: anyText,
      channel: fc.constant('answer' as const),
    }),
  },
  fc.record({ kind: fc.constant('text-end' as const), output: anyOutput, take: fc.constant(0) }),
  fc.record({ kind: fc.constant('state-change' as const), to: fc.constantFrom('thinking', 'writing') }),
  fc.record({
    kind: fc.constant('tool-call' as const),
    call: fc.constantFrom('call-1', 'call-2'),
    tool: fc.constant('search'),
  }),
  fc.record({
    kind: fc.constant('tool-result' as const),
    call: fc.constantFrom('call-1', 'call-2'),
    tool: fc.constant('search'),
    status: fc.constantFrom('success' as const, 'error' as const),
  }),
  fc.record({
    kind: fc.constant('question-open' as const),
    question: fc.constant('clarification' as const),
    token: fc.constantFrom('tok-1', 'tok-2'),
    text: fc.constant('Which one?'),
  }),
  fc.record({
    kind: fc.constant('question-close' as const),
    token: fc.constantFrom('tok-1', 'tok-2'),
    how: fc.constant('cancelled' as const),
  }),
  fc.record({
    kind: fc.constant('notice' as const),
    level: fc.constant('info' as const),
    text: fc.constant('By the way.'),
  }),
)

/** Groups of events, each for one entry; some sessions end. */
export const anyGroups: fc.Arbitrary<readonly (readonly SluiceEvent[])[]> = fc
  .tuple(fc.array(fc.array(anyEvent, { minLength: 1, maxLength: 3 }), { maxLength: 14 }), fc.boolean())
  .map(([groups, isEnded]) => [
    [{ kind: 'session-start', request: 'Do it.' } as const],
    ...groups,
    ...(isEnded ? [[{ kind: 'session-end', outcome: 'completed' } as const]] : []),
  ])

export const anyDialect = fc
  .constantFrom('sluice', 'aaep', 'agent-event', 'stream-event', 'a2a', 'a2a-v1')
  .map(dialectById)
