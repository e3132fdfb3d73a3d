import { createDrivenClock } from '@sluice/protocol/testing'
import { describe, expect, test } from 'vitest'
import { startLocalGateway } from '../testing/local-gateway.ts'
import type { ReadFrame } from '../testing/reading.ts'
import { rounds } from '../testing/rounds.ts'
import { transportNames, transports } from '../testing/transports.ts'
import { compareCut, findDifference, readCut, readWhole } from './cutting.ts'
import { publishSession } from './publish-session.ts'
import { sessions } from './rich-events.ts'
import { coalescings, maxJoiningOf, type ViewChoice, viewsOf } from './views.ts'

/** Publishing stops after this many events, each time until the readers that were cut off are back. */
const stride = 6
const limits = { ringBytes: 1, ringsBytes: 1, requestsPerSecond: 1e6, connectionsPerSubject: 5000 }

/** The uninterrupted run of one view. */
interface Run {
  readonly view: ViewChoice
  readonly whole: readonly ReadFrame[]
  /** The least number of frames after a number of events. */
  readonly framesAfter: ReadonlyMap<number, number>
}

/** The soak uses all of them in each place and cuts after every frame, other runs after every third. */
const turnOf = (turn: number) =>
  transportNames.filter((_, index) => rounds > 1 || index === turn % transportNames.length)

describe.each(coalescings)('with coalesce=%s', (coalescing) => {
  describe.each(Object.entries(sessions))('%s', (session, texts) => {
    const turn = coalescings.indexOf(coalescing) + Object.keys(sessions).indexOf(session)
    let runs: Promise<readonly Run[]> | undefined
    const isStop = (count: number): boolean => count % stride === 0 || count === texts.length - 1
    const isCut = (index: number): boolean => rounds > 1 || index % 3 === turn % 3

    /** Publishes the session without readers, and counts the frames of each view along the way. */
    async function runAlone(): Promise<readonly Run[]> {
      const clock = createDrivenClock()
      const gateway = await startLocalGateway(clock, limits)
      const counts = viewsOf(coalescing).map((view) => ({ view, framesAfter: new Map<number, number>() }))
      await publishSession(gateway.url, { session, texts, clock }, async (count) => {
        if (!isStop(count)) return
        for (const { view, framesAfter } of counts)
          framesAfter.set(count, await countFrames(gateway.url, session, view))
      })
      const found = counts.map(async ({ view, framesAfter }) => {
        const request = { url: gateway.url, session, ...view, after: '-1' }
        return { view, framesAfter, whole: await readWhole(transports.sse, request) }
      })
      return Promise.all(found).finally(gateway.close)
    }

    test.each(turnOf(turn))(
      'any reader over %s who is cut off while it is published has all of it',
      async (name) => {
        runs ??= runAlone()
        const clock = createDrivenClock()
        const gateway = await startLocalGateway(clock, limits)
        await createEmpty(gateway.url, session)
        const views = (await runs).map((run) => {
          const request = { url: gateway.url, session, ...run.view, after: '-1' }
          return {
            ...run,
            uninterrupted: readWhole(transports[name], request),
            cut: run.whole.flatMap((_, index) =>
              isCut(index) ? [{ count: index + 1, ...readCut(transports[name], request, index + 1) }] : [],
            ),
          }
        })
        let cutLive = 0
        await publishSession(gateway.url, { session, texts, clock }, async (count) => {
          if (!isStop(count)) return
          const back = views.flatMap(({ cut, framesAfter }) =>
            cut.filter((reading) => reading.count <= (framesAfter.get(count) ?? 0)),
          )
          await Promise.all(back.map((reading) => reading.back))
          if (count < texts.length) cutLive = back.length
        })
        const wrong = views.map(async ({ view, whole, cut, uninterrupted }) => {
          const differences = cut.map(async ({ count, before, after }) =>
            compareCut(whole, { before, after: await after }, { count, maxJoining: maxJoiningOf(view) }),
          )
          return [findDifference(whole, await uninterrupted, 'live'), ...(await Promise.all(differences))]
            .filter((difference) => difference !== undefined)
            .map((difference) => `${view.dialect}: ${difference}`)
        })
        expect((await Promise.all(wrong)).flat()).toEqual([])
        // Most readers were back before the last event.
        expect(cutLive).toBeGreaterThan(views.flatMap(({ cut }) => cut).length * 0.7)
        await gateway.close()
      },
    )
  })
})

async function createEmpty(url: string, id: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/v1/sessions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ id }),
  })
  expect(response.status).toBe(201)
}

async function countFrames(url: string, session: string, view: ViewChoice): Promise<number> {
  const query = new URLSearchParams({ ...view, limit: '1000' })
  const response = await fetch(`${url}/v1/sessions/${session}/events?${query}`)
  const page = (await response.json()) as { readonly frames: readonly unknown[] } // see docs/http-api.md
  return page.frames.length
}
