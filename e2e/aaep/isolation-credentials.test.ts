import { join } from 'node:path'
import { addKey } from '@sluice/gateway/admin'
import { type JsonObject, omitUndefined } from '@sluice/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'
import { until } from '../testing/until.ts'
import { type AaepReading, toReply } from './testing/aaep-reading.ts'
import { aaepTransports } from './testing/aaep-transports.ts'
import { readAudit } from './testing/audit.ts'
import { isTerminal } from './testing/told.ts'

const transportsByName = Object.entries(aaepTransports)
const canReply = { supports_confirmation_reply: true }

describe.each(transportsByName)('a credential for one session (%s)', (name, open) => {
  let gateway: GatewayProcess
  let victim: string
  let mallory: string
  beforeAll(async () => {
    gateway = await startGatewayProcess()
    const file = join(gateway.data, 'keys.json')
    const add = (subject: string): string =>
      addKey(file, { subject, grants: [`*:session:sess_${subject}*`], createdAt: Date.now() }).key
    victim = add('victim')
    mallory = add('mallory')
  })
  afterAll(() => gateway?.remove())

  const publish = async (session: string, ...events: readonly JsonObject[]): Promise<void> => {
    const response = await fetch(`${gateway.url}/v1/sessions/${session}/events?dialect=sluice`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.localKey}` },
      body: JSON.stringify(events.map((event) => ({ events: [event] }))),
    })
    expect(response.status).toBe(200)
  }
  const asking = (token: string) => ({
    kind: 'question-open',
    question: 'confirmation',
    token,
    text: 'Go on?',
  })
  const ending = { kind: 'session-end', outcome: 'completed' }
  const sessionsOf = ({ events }: AaepReading) => new Set(events.map(({ session_id }) => session_id))
  const as = (key: string) => ({ url: gateway.url, key, terms: canReply })
  const reach = (path: string, key: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${gateway.url}/aaep/v1/${path}`, {
      ...init,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    })

  test('sees no other: neither by name nor among all', async () => {
    const [own, other] = [`sess_mallory${name}1`, `sess_victim${name}1`]
    await publish(own, { kind: 'session-start' })
    await publish(other, { kind: 'session-start', request: 'secret' }, asking(`rpl_see${name}`))
    const named = { ...as(mallory), sessions: [own, other] }
    await expect(open(named)).rejects.toThrow('authorization_denied')
    const missing = { ...as(mallory), sessions: [own, `sess_missing${name}1`] }
    await expect(open(missing)).rejects.toThrow('authorization_denied')

    const all = await open(as(mallory))
    await publish(other, { kind: 'state-change', to: 'thinking' })
    await publish(`sess_victim${name}2`, { kind: 'session-start' }, ending)
    await publish(`sess_mallory${name}2`, { kind: 'session-start' }, ending)
    await publish(own, ending)
    await until(() => all.events.filter(isTerminal).length === 2)
    expect(sessionsOf(all)).toEqual(new Set([own, `sess_mallory${name}2`]))
    all.cut()
  })

  test('answers no other, and is not told', async () => {
    const [own, other, token] = [`sess_mallory${name}3`, `sess_victim${name}3`, `rpl_answer${name}`]
    await publish(own, { kind: 'session-start' }, asking(`rpl_own${name}`))
    await publish(other, asking(token))
    const reading = await open({ ...as(mallory), sessions: [own] })
    const theirs = await open({ ...as(victim), sessions: [other] })
    await until(() => theirs.events.some(({ reply_token }) => reply_token === token))
    await reading.say(toReply(token, 'accept', theirs.subscription))
    await reading.say(toReply(token, 'accept', reading.subscription))
    // A connection is handled in order, so this answer comes after the others.
    await reading.say(toReply(`rpl_own${name}`, 'accept', reading.subscription))
    await until(() => reading.events.some(({ from_state }) => from_state === 'awaiting_input'))
    const isOpen = expect.not.objectContaining({ how: expect.anything() })
    const audit = async (session: string): Promise<readonly JsonObject[]> => readAudit(gateway.url, session)
    expect(await audit(other)).toEqual([isOpen])
    expect(await audit(own)).toMatchObject([{ how: 'answered', by: 'mallory', via: 'aaep' }])
    await theirs.say(toReply(token, 'reject', theirs.subscription))
    await until(() => theirs.events.some(({ from_state }) => from_state === 'awaiting_input'))
    expect(await audit(other)).toMatchObject([{ decision: 'reject', by: 'victim' }])
  })

  test('reaches no subscription of somebody else by its id', async () => {
    const session = `sess_victim${name}4`
    await publish(session, { kind: 'session-start' })
    const theirs = await open({ ...as(victim), sessions: [session] })
    const id = theirs.subscription
    const about = (type: string, more: JsonObject = {}) => ({
      method: 'POST',
      body: JSON.stringify({ type, subscription_id: id, reason_code: 'x', reason_message: 'x', ...more }),
    })
    const tries: readonly (readonly [string, RequestInit?])[] = [
      [`subscriptions/${id}`],
      [`events?subscription_id=${id}`],
      ['replies', about('subscription.close')],
      ['replies', about('subscription.renegotiate', { capabilities: { max_events_per_second: 1 } })],
      [`subscriptions/${id}`, { method: 'DELETE' }],
    ]
    for (const [path, init] of tries) {
      const answer = await reach(path, mallory, init)
      const missing = await reach(path.replace(id, 'sub_missing'), mallory, {
        ...init,
        ...omitUndefined({
          body: init?.body === undefined ? undefined : String(init.body).replace(id, 'sub_missing'),
        }),
      })
      expect.soft([path, answer.status]).toEqual([path, 404])
      expect.soft(missing.status).toBe(404)
      const of = async (response: Response) => (await response.text()).replaceAll(/sub_\w+/g, '')
      expect.soft(await of(answer)).toBe(await of(missing))
    }
    await expect(aaepTransports.ws({ ...as(mallory), subscription: id })).rejects.toThrow('rejected')
    // Their subscription is unchanged.
    expect((await reach(`subscriptions/${id}`, victim)).status).toBe(200)
    await publish(session, ending)
    await until(() => theirs.events.some(isTerminal))
  })
})
