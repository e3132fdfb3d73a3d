import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDrivenClock } from '../../packages/client/src/testing/driven-clock.ts'
import { type LocalGateway, startLocalGateway } from '../testing/local-gateway.ts'
import { transportNames, transports } from '../testing/transports.ts'
import { cutEverywhere } from './cut-everywhere.ts'
import { readWhole } from './cutting.ts'
import { publishSession } from './publish-session.ts'
import { sessions } from './rich-events.ts'
import { coalescings, viewsOf } from './views.ts'

describe('a reader who is cut off behind any frame of a stored session', () => {
  let gateway: LocalGateway
  beforeAll(async () => {
    const clock = createDrivenClock()
    gateway = await startLocalGateway(clock, { ringBytes: 1, ringsBytes: 1, requestsPerSecond: 1e6 })
    for (const [session, texts] of Object.entries(sessions))
      await publishSession(gateway.url, session, texts, clock)
  })
  afterAll(() => gateway.close())

  describe.each(coalescings)('with coalesce=%s', (coalescing) => {
    test.each(viewsOf(coalescing))('ends with what the uninterrupted one has, as $dialect', async (view) => {
      for (const session of Object.keys(sessions)) {
        const request = { url: gateway.url, session, ...view, after: '-1' }
        const whole = await readWhole(transports.sse, request)
        expect(whole.length).toBeGreaterThan(4)
        for (const name of transportNames)
          expect(await readWhole(transports[name], request), name).toEqual(whole)
        expect(await cutEverywhere(request, whole, 'each')).toEqual([])
      }
    })
  })
})
