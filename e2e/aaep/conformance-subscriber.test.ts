import { type AaepSubscription, createClient } from '@sluice/client'
import { expect, test } from 'vitest'
import { judgeSubscriber } from '../../packages/conformance/src/subscriber/judge-subscriber.ts'
import { breachesIn, notRunIn } from '../../packages/conformance/src/testing/run-suite.ts'
import { createVirtualClock } from '../../packages/conformance/src/testing/virtual-clock.ts'

/** Answers as each question demands. */
async function follow(events: AaepSubscription): Promise<void> {
  for await (const event of events) {
    if (event.type === 'aaep:agent.awaiting.clarification') await events.reply(event, 'blue')
    if (event.type !== 'aaep:agent.awaiting.confirmation' || !('action' in event)) continue
    if (event.action.includes('accept')) await events.reply(event, 'accept')
    if (event.action.includes('reject')) await events.reply(event, 'reject')
  }
}

test('the client passes every check on subscribers', async () => {
  let following: Promise<void> = Promise.resolve()
  const ending = new AbortController()
  const clock = createVirtualClock()
  const report = await judgeSubscriber({
    port: 0,
    isInteractive: true,
    times: { arriveMs: 10_000, questionMs: 10_000, settleMs: 500 },
    toleranceMs: 500,
    clock,
    onListening(url) {
      const client = createClient({ url, token: 'none-needed', clock })
      const terms = { supports_confirmation_reply: true, supports_clarification_reply: true }
      following = follow(client.subscribeAaep(terms, { signal: ending.signal })).catch(() => {})
    },
  })
  ending.abort()
  await following
  expect(breachesIn(report)).toEqual([])
  // It claims no level, and renegotiates only on demand.
  expect(notRunIn(report)).toEqual(['S2-CAP-001', 'S3-REN-001'])
})
