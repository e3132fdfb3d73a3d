import { omitUndefined } from '@sluice/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatRoute, parseRoute, type Route } from './route.ts'

const read = (address: string): Route => {
  const { pathname, search } = new URL(address, 'http://console.example')
  return parseRoute(pathname, search)
}

describe('parseRoute()', () => {
  test.each<[string, Route]>([
    ['/', { page: 'home' }],
    ['/sessions/sess_a', { page: 'session', session: 'sess_a', part: 'answer' }],
    ['/sessions/sess_a?seq=7', { page: 'session', session: 'sess_a', part: 'timeline', seq: 7 }],
    ['/sessions/sess_a?part=charts&at=3', { page: 'session', session: 'sess_a', part: 'charts', at: 3 }],
    ['/sessions/sess_a?part=nonsense&seq=-1', { page: 'session', session: 'sess_a', part: 'answer' }],
    ['/conversations/a%2Fb', { page: 'conversation', context: 'a/b' }],
    ['/sessions/%E0%A4%A', { page: 'unknown' }],
    ['/elsewhere', { page: 'unknown' }],
  ])('%s', (address, route) => expect(read(address)).toEqual(route))

  test('reads back what formatRoute() writes', () => {
    const seq = fc.option(fc.nat(), { nil: undefined })
    const session = fc.record({
      session: fc.string({ minLength: 1 }),
      part: fc.constantFrom('answer' as const, 'timeline' as const, 'charts' as const),
      seq,
      at: seq,
    })
    fc.assert(
      fc.property(session, ({ session: id, part, seq: opened, at }) => {
        const route: Route = omitUndefined({
          page: 'session',
          session: id.toWellFormed(),
          part,
          seq: opened,
          at,
        })
        expect(read(formatRoute(route))).toEqual(route)
      }),
    )
  })
})
