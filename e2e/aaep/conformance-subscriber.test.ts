import { type AaepSubscription, createClient } from '@sluice/client'
import { expect, test } from 'vitest'
import { judgeAll } from '../../packages/cli/src/conformance/judge.ts'
import { examineSubscriber } from '../../packages/cli/src/conformance/subscriber/examine-subscriber.ts'
import { subscriberChecks } from '../../packages/cli/src/conformance/subscriber/subscriber-checks.ts'
import { breachesIn } from '../../packages/cli/src/conformance/testing/run-suite.ts'
import { createWakefulClock } from '../../packages/cli/src/conformance/wakeful-clock.ts'

/** Answers as the questions ask for. */
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
  const record = await examineSubscriber({
    port: 0,
    isInteractive: true,
    times: { arriveMs: 10_000, questionMs: 10_000, settleMs: 500 },
    toleranceMs: 500,
    clock: createWakefulClock(),
    onListening(url) {
      const client = createClient({ url, token: 'none-needed' })
      const terms = { supports_confirmation_reply: true, supports_clarification_reply: true }
      following = follow(client.subscribeAaep(terms, { signal: ending.signal })).catch(() => {})
    },
    tell() {},
  })
  ending.abort()
  await following
  const results = judgeAll(subscriberChecks, record, 3)
  expect(breachesIn(results)).toEqual([])
  const notRun = results.filter(({ judgement }) => judgement.verdict === 'not run').map(({ id }) => id)
  // It claims no level, and renegotiates only when it is asked to.
  expect(notRun).toEqual(['S2-CAP-001', 'S3-REN-001'])
})
