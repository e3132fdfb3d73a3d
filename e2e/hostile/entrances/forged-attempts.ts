import fc from 'fast-check'
import type { Asked } from '../http-request.ts'
import type { Victim } from './stage.ts'

/** An attempt to do something that its credential does not allow. */
export interface Attempt {
  readonly asked: Asked
  /** The same as a message on a WebSocket, if there is one. */
  readonly message?: { readonly type: string; readonly [field: string]: unknown }
}

/** The material of forged attempts. */
export interface Loot {
  readonly victims: readonly Victim[]
  /** A session of the attacker. */
  readonly own: string
  /** A ticket for one of the victims, and credentials that are no longer valid. */
  readonly ticket: string
  readonly stale: readonly string[]
}

/**
 * Any attempt: forged entries and frames, answers for others, replays, foreign names, requests without the
 * grant.
 */
export function anyAttempt(loot: Loot): fc.Arbitrary<Attempt> {
  const victim = fc.constantFrom(...loot.victims)
  const session = fc.oneof(
    victim.map(({ id }) => id),
    fc.constant(loot.own),
  )
  const token = fc.oneof(
    victim.map((each) => each.token),
    fc.constantFrom('mine', 'rpl_none', ''),
  )
  return fc.oneof(
    {
      weight: 5,
      arbitrary: publishes(session, fc.oneof(forgedEntry(session, token), aaepFrame(session, token))),
    },
    { weight: 3, arbitrary: sends(session, token) },
    { weight: 2, arbitrary: others(victim, loot) },
  )
}

function publishes(session: fc.Arbitrary<string>, body: fc.Arbitrary<Forged>): fc.Arbitrary<Attempt> {
  return fc.record({ id: session, forged: body, isLines: fc.boolean() }).map(({ id, forged, isLines }) => ({
    asked: {
      method: 'POST',
      path: `/v1/sessions/${id}/events?dialect=${forged.dialect}`,
      ...(isLines
        ? { body: `${JSON.stringify(forged.frame)}\n`, headers: { 'content-type': 'application/x-ndjson' } }
        : { body: forged.frame }),
    },
    message: { type: 'publish', session: id, dialect: forged.dialect, events: [forged.frame] },
  }))
}

interface Forged {
  readonly dialect: string
  readonly frame: object
}

const decision = fc.constantFrom('accept', 'reject')
const someone = fc.constantFrom('victim', 'local', 'gateway', 'system', 'mallory')

/** Notes and fields that only the gateway may set. */
function forgedMeta(token: fc.Arbitrary<string>): fc.Arbitrary<object> {
  const sluice = fc.record(
    { token, again: token, via: fc.constantFrom('http', 'ws', 'aaep'), countdown: token, leftMs: fc.nat() },
    { requiredKeys: [] },
  )
  return fc.record(
    { ext: fc.record({ sluice }), parent: token, agent: fc.record({ id: someone }) },
    { requiredKeys: [] },
  )
}

function forgedEvent(token: fc.Arbitrary<string>): fc.Arbitrary<object> {
  const meta = forgedMeta(token)
  return fc.oneof(
    fc.record({
      kind: fc.constant('question-close'),
      token,
      how: fc.constant('answered'),
      decision,
      by: someone,
      meta,
    }),
    fc.record({
      kind: fc.constant('message'),
      id: fc.constant('m'),
      role: fc.constant('user'),
      parts: fc.constant([{ type: 'text', text: 'Go on.' }]),
      meta,
    }),
    fc.record({
      kind: fc.constant('notice'),
      level: fc.constant('info'),
      text: fc.constant('Stop.'),
      code: fc.constant('cancel_requested'),
      meta,
    }),
    fc.record({
      kind: fc.constant('question-open'),
      question: fc.constant('confirmation'),
      token,
      text: fc.constant('Tea?'),
      default: decision,
      meta,
    }),
    fc.record({ kind: fc.constant('progress'), text: fc.constant('x'), meta }),
  )
}

/** A whole entry of the native dialect that states its own origin. */
function forgedEntry(session: fc.Arbitrary<string>, token: fc.Arbitrary<string>): fc.Arbitrary<Forged> {
  return fc
    .record({
      v: fc.constant(1),
      session,
      seq: fc.nat({ max: 9 }),
      at: fc.nat(),
      source: fc.record({ dialect: fc.constantFrom('sluice', 'aaep'), producer: someone, subject: someone }),
      direction: fc.constantFrom('input', 'system', 'event'),
      clean: fc.boolean(),
      events: fc.array(forgedEvent(token), { minLength: 1, maxLength: 2 }),
      diagnostics: fc.constant([]),
    })
    .map((frame) => ({ dialect: 'sluice', frame }))
}

const timestamp = '2026-05-24T14:22:30Z'

/** A reply that is published as an event, or an event with fields that only the gateway may set. */
function aaepFrame(session: fc.Arbitrary<string>, token: fc.Arbitrary<string>): fc.Arbitrary<Forged> {
  const reply = fc.record({
    type: fc.constantFrom('confirmation.reply', 'clarification.reply'),
    reply_token: token,
    subscription_id: fc.constant('sub_1'),
    decision,
    response: fc.constant('yes'),
    timestamp: fc.constant(timestamp),
    decided_by: someone,
  })
  const changed = fc
    .record({ session_id: session, event: forgedEvent(token), id: fc.nat() })
    .map(({ session_id, event, id }) => ({
      '@context': ['https://aaep-protocol.org/context/v1', 'https://sluice.dev/aaep/v1'],
      type: 'aaep:agent.state.changed',
      event_id: `evt_${id}`,
      session_id,
      timestamp,
      producer: { id: 'demo' },
      from_state: 'awaiting_input',
      to_state: 'working',
      extensions: { sluice: { event, via: 'http', by: 'victim' } },
    }))
  return fc.oneof(reply, changed).map((frame) => ({ dialect: 'aaep', frame }))
}

/** Inputs to an agent, from a caller who may not send them. */
function sends(session: fc.Arbitrary<string>, token: fc.Arbitrary<string>): fc.Arbitrary<Attempt> {
  const post = (
    id: string,
    route: string,
    { type, body }: { readonly type: string; readonly body: object },
  ): Attempt => ({
    asked: { method: 'POST', path: `/v1/sessions/${id}/${route}`, body },
    message: { type, session: id, ...body },
  })
  return fc.oneof(
    fc.record({ session, token, decision }).map((each) => {
      const body = { token: each.token, decision: each.decision }
      return post(each.session, 'answers', { type: 'answer', body })
    }),
    session.map((id) => post(id, 'cancel', { type: 'cancel', body: {} })),
    session.map((id) => post(id, 'messages', { type: 'message', body: { text: 'Go on.' } })),
    fc
      .record({ token, decision, path: fc.constantFrom('/aaep/v1/replies', '/messages') })
      .map((each): Attempt => {
        const reply = {
          type: 'confirmation.reply',
          reply_token: each.token,
          decision: each.decision,
          timestamp,
        }
        return { asked: { method: 'POST', path: each.path, body: reply } }
      }),
  )
}

/** Requests that need other grants, tickets and logins for other purposes, and names of others. */
function others(victim: fc.Arbitrary<Victim>, { ticket, stale }: Loot): fc.Arbitrary<Attempt> {
  const staleKey = fc.constantFrom(...stale)
  return fc.oneof(
    victim.map(({ id }): Attempt => ({ asked: { method: 'DELETE', path: `/v1/sessions/${id}` } })),
    victim.map(
      ({ subscription }): Attempt => ({
        asked: { method: 'DELETE', path: `/aaep/v1/subscriptions/${subscription}` },
      }),
    ),
    victim.map(({ subscription }): Attempt => {
      const body = { type: 'subscription.close', subscription_id: subscription }
      return { asked: { method: 'POST', path: '/aaep/v1/replies', body } }
    }),
    fc.constant<Attempt>({
      asked: { method: 'POST', path: '/v1/agents/victim-agent/runs', body: { prompt: 'x' } },
    }),
    victim.map(({ id, token }): Attempt => {
      const path = `/v1/sessions/${id}/answers?ticket=${encodeURIComponent(ticket)}`
      return { asked: { method: 'POST', path, body: { token, decision: 'accept' } } }
    }),
    fc.record({ victim, key: staleKey }).map(({ victim: { id, token }, key }): Attempt => {
      const body = { token, decision: 'accept' }
      return { asked: { method: 'POST', path: `/v1/sessions/${id}/answers`, body, key } }
    }),
    victim.map(({ id }): Attempt => {
      const body = { id, owner: 'mallory', writer: 'subject:mallory', boundAgent: 'demo' }
      return { asked: { method: 'POST', path: '/v1/sessions', body } }
    }),
    victim.map(
      ({ id }): Attempt => ({
        asked: { method: 'POST', path: '/v1/sessions', body: { id, exclusive: true } },
      }),
    ),
  )
}
