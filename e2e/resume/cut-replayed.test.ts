import { createDrivenClock } from '@sluice/protocol/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalGateway, startLocalGateway } from '../testing/local-gateway.ts'
import { rounds } from '../testing/rounds.ts'
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
      await publishSession(gateway.url, { session, texts, clock })
  })
  afterAll(() => gateway.close())

  test('stands at cursors of every form: whole entries, units, frames of a unit', async () => {
    const request = { url: gateway.url, session: 'sess_long', dialect: 'aaep', after: '-1' }
    const cursors = (await readWhole(transports.sse, request)).map(({ cursor }) => cursor)
    const forms = new Set(cursors.map((cursor) => cursor.replaceAll(/\d+/g, 'n')))
    expect([...forms].sort()).toEqual(['n', 'n.n', 'n.n.aaep.n'])
  })

  // cut-restarted.test.ts covers all of them; the soak does so here too, over every transport.
  describe.each(rounds > 1 ? coalescings : (['none'] as const))('with coalesce=%s', (coalescing) => {
    test.each(viewsOf(coalescing))('ends with what the uninterrupted one has, as $dialect', async (view) => {
      for (const session of Object.keys(sessions)) {
        const request = { url: gateway.url, session, ...view, after: '-1' }
        const whole = await readWhole(transports.sse, request)
        expect(whole.length).toBeGreaterThan(4)
        for (const name of transportNames)
          expect(await readWhole(transports[name], request), name).toEqual(whole)
        expect(await cutEverywhere(request, whole, rounds > 1 ? 'each' : 'in-turn')).toEqual([])
      }
    })
  })
})
