import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'
import { endSession, publishText } from '../testing/publish.ts'
import type { ReadFrame, ReadRequest } from '../testing/reading.ts'
import { rounds } from '../testing/rounds.ts'
import { transports } from '../testing/transports.ts'
import { cutEverywhere } from './cut-everywhere.ts'
import { readWhole } from './cutting.ts'
import { nativeSessions } from './native-sessions.ts'
import { sessions } from './rich-events.ts'
import { coalescings, type ViewChoice, viewsOf } from './views.ts'

interface StoredView extends ViewChoice {
  readonly session: string
}

/** Sessions of the model in every view; native ones in their own dialect, as copies, and in two others. */
const views: readonly StoredView[] = [
  ...Object.keys(sessions).flatMap((session) =>
    coalescings.flatMap((coalescing) => viewsOf(coalescing).map((view) => ({ ...view, session }))),
  ),
  ...nativeSessions.flatMap(({ id, dialect }) =>
    [...new Set([dialect, 'sluice', 'aaep'])].map((view) => ({ dialect: view, session: id })),
  ),
]

describe('a reader who is cut off behind any frame of a session, after the gateway was restarted', () => {
  let gateway: GatewayProcess
  const wholes = new Map<StoredView, readonly ReadFrame[]>()
  const requestOf = (view: StoredView): ReadRequest => ({ ...view, url: gateway.url, after: '-1' })

  beforeAll(async () => {
    const settings = {
      SLUICE_LIMITS_RING_BYTES: '1',
      SLUICE_LIMITS_RINGS_BYTES: '1',
      SLUICE_LIMITS_REQUESTS_PER_SECOND: '1000000',
    }
    gateway = await startGatewayProcess({ settings })
    for (const [session, texts] of Object.entries(sessions))
      for (const text of texts) await publishText(gateway.url, session, { dialect: 'sluice', text })
    for (const { id, dialect, texts } of nativeSessions) {
      for (const text of texts) await publishText(gateway.url, id, { dialect, text })
      await endSession(gateway.url, id)
    }
    for (const view of views) wholes.set(view, await readWhole(transports.sse, requestOf(view)))
    await gateway.kill()
    await gateway.restart()
  })
  afterAll(() => gateway.remove())

  test.each(views)(
    'has what it would have had before: $session as $dialect, coalesce=$coalesce',
    async (view) => {
      const whole = wholes.get(view) ?? []
      expect(whole.length).toBeGreaterThan(4)
      expect(await cutEverywhere(requestOf(view), whole, rounds > 1 ? 'each' : 'every-third')).toEqual([])
    },
  )

  test('a second restart, of its own will, changes nothing either', async () => {
    expect(await gateway.terminate()).toBe(0)
    await gateway.restart()
    for (const view of views)
      expect(await readWhole(transports.sse, requestOf(view)), JSON.stringify(view)).toEqual(wholes.get(view))
    expect(gateway.errors()).toBe('')
  })
})
