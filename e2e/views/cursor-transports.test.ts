import {
  type Cursor,
  type Entry,
  formatCursor,
  isSameCursor,
  type OutFrame,
  parseCursor,
} from '@sluice/protocol'
import { createDrivenClock } from '@sluice/protocol/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readWhole } from '../resume/cutting.ts'
import { publishSession } from '../resume/publish-session.ts'
import { type LocalGateway, startLocalGateway } from '../testing/local-gateway.ts'
import { publishText } from '../testing/publish.ts'
import type { ReadFrame, ReadRequest, Transport } from '../testing/reading.ts'
import { rounds } from '../testing/rounds.ts'
import { transports } from '../testing/transports.ts'
import { checkPairs } from './cursor-pairs.ts'
import { divided, large } from './sample-sessions.ts'
import { type Read, storeSession, type View, views, withoutFrames } from './view-readers.ts'

/** A page of the gateway, as JSON. */
interface Page {
  readonly frames: readonly { readonly cursor: string; readonly frame: unknown }[]
  readonly cursor: string
  readonly end: boolean
}

/** Reads a session in pages of a few frames. `onPage` gets the cursor of each. */
async function readPages(
  request: ReadRequest,
  onPage: (cursor: string, count: number) => void = () => {},
): Promise<readonly ReadFrame[]> {
  const frames: ReadFrame[] = []
  const { url, session, dialect, coalesce } = request
  for (let after = request.after; ; ) {
    const query = new URLSearchParams({ dialect, after, limit: '3', ...(coalesce && { coalesce }) })
    const response = await fetch(`${url}/v1/sessions/${session}/events?${query}`)
    if (!response.ok) throw new Error(`${response.status} for ${query}`)
    const page = (await response.json()) as Page // see docs/http-api.md
    const read = page.frames.map(({ cursor, frame }) => ({ cursor, text: JSON.stringify(frame) }))
    // Each page begins with the frames for joining; a reader of pages has those of the first one.
    frames.push(...(after === request.after ? read : read.filter(({ cursor }) => cursor !== after)))
    onPage(page.cursor, frames.length)
    if (page.end || page.frames.length === 0) return frames
    after = page.cursor
  }
}

const byStream =
  (transport: Transport) =>
  (request: ReadRequest): Promise<readonly ReadFrame[]> =>
    readWhole(transport, request)

const readers = [byStream(transports.sse), byStream(transports.ndjson), byStream(transports.ws), readPages]

const coalesceOf = ({ coalescing }: View): string | undefined => {
  if (coalescing === undefined) return undefined
  return 'unit' in coalescing ? coalescing.unit : `${coalescing.spanMs}ms`
}

/** The soak reads all views; other runs those without joining, by sentence and by time. */
const chosen = views.filter(
  (view) => rounds > 1 || [undefined, 'sentence', '40ms'].includes(coalesceOf(view)),
)

describe('over sockets, every view continues from a cursor of any view with all that comes after it', () => {
  let gateway: LocalGateway
  const clock = createDrivenClock()
  beforeAll(async () => {
    gateway = await startLocalGateway(clock, { requestsPerSecond: 1e6 })
  })
  afterAll(() => gateway.close())

  const requestOf = (session: string, view: View, at: Cursor): ReadRequest => {
    const coalesce = coalesceOf(view)
    const request = { url: gateway.url, session, dialect: view.dialect.id, after: formatCursor(at) }
    return coalesce === undefined ? request : { ...request, coalesce }
  }

  /** The session in the native dialect, whose frames are the stored entries. */
  const readEntries = async (session: string): Promise<readonly Entry[]> => {
    const request = { url: gateway.url, session, dialect: 'sluice', after: '-1' }
    return (await readWhole(transports.sse, request)).map(({ text }) => JSON.parse(text) as Entry) // as documented
  }

  const checkSession = async (session: string) => {
    const stored = storeSession(await readEntries(session), session)
    const read = async (view: View, at: Cursor, turn: number): Promise<Read> => {
      const request = requestOf(session, view, at)
      const stops: { cursor: Cursor; count: number }[] = []
      const reader = readers[turn % readers.length] ?? readPages
      const found = await reader(request)
      if (turn === 0) {
        // The start of a view is read in every way.
        const note = (cursor: string, count: number) => stops.push({ cursor: parseCursor(cursor), count })
        expect(await readPages(request, note)).toEqual(found)
        for (const other of readers) expect(await other(request)).toEqual(found)
      }
      const frames = found.map(({ cursor, text }): OutFrame => ({ cursor: parseCursor(cursor), data: text }))
      const places = [at, withoutFrames(at)]
      const isJoining = ({ cursor }: OutFrame) => places.some((place) => isSameCursor(cursor, place))
      return { joining: frames.filter(isJoining), frames: frames.filter((frame) => !isJoining(frame)), stops }
    }
    return checkPairs({
      session: stored,
      views: chosen,
      read,
      isChosen: (cursor, view, text) => rounds > 1 || (cursor + view) % (/[a-z]/.test(text) ? 2 : 7) === 0,
    })
  }

  test('a thought, of which the first frame of one dialect says only that it begins', async () => {
    const session = 'sess_thought'
    await publishText(gateway.url, session, {
      dialect: 'stream-event',
      text: '{"type":"log","data":"Ready."}',
    })
    await publishText(gateway.url, session, {
      dialect: 'stream-event',
      text: '{"type":"thinking","data":"What now? Let us see."}',
    })
    await publishText(gateway.url, session, {
      dialect: 'sluice',
      text: '{"events":[{"kind":"session-end","outcome":"completed"}]}',
    })
    const { cursors, wrong } = await checkSession(session)
    expect(cursors).toContain('1.0.aaep.1')
    expect(wrong).toEqual([])
  })

  test.each([
    { name: 'several', groups: divided, expected: ['3.0.e1', '4.0.e1.agent-event.2', '10.0.aaep.1'] },
    { name: 'large', groups: large, expected: ['0.1.aaep.1', '1.0.agent-event.1', '2.16390'] },
  ])('events of $name frames', async ({ name, groups, expected }) => {
    const session = `sess_${name}`
    const end = { kind: 'session-end', outcome: 'completed' } as const
    const texts = [...groups, [end]].map((events) => JSON.stringify({ events }))
    await publishSession(gateway.url, { session, texts, clock })
    const { checked, cursors, wrong } = await checkSession(session)
    expect(wrong).toEqual([])
    expect(checked).toBeGreaterThan(50)
    expect(cursors).toEqual(expect.arrayContaining(expected))
  })
})
