import type { ServerResponse } from 'node:http'
import type { ErrorCode } from '@sluice/protocol'
import { answerJson, type PeerRequest } from './peer.ts'

/** What happens to a request: nothing, it is lost, its answer is lost, or the gateway is busy. */
export type Mishap = 'none' | 'lost' | 'answer-lost' | 'busy'

export interface NumberingStore {
  /** Everything stored, in order. */
  readonly stored: unknown[]
  /** The size of each batch that was stored. */
  readonly batches: number[]
  readonly producers: Map<string, { epoch: number; seq: number }>
  handle(request: PeerRequest, response: ServerResponse, mishap?: Mishap): void
}

interface Taken {
  readonly status: number
  readonly body: object
}

const refuse = (status: number, code: ErrorCode, more: object = {}): Taken => ({
  status,
  body: { code, ...more },
})

/**
 * A peer's store that numbers as docs/http-api.md specifies. It refuses events with a `refuse`, and has
 * findings on those with a `find`.
 */
export function createNumberingStore(): NumberingStore {
  const stored: unknown[] = []
  const batches: number[] = []
  const producers = new Map<string, { epoch: number; seq: number }>()

  function take(request: PeerRequest): Taken {
    const isLines = request.headers['content-type'] === 'application/x-ndjson'
    const events: { refuse?: string; find?: string }[] = isLines
      ? request.body.trimEnd().split('\n').map(readLine)
      : JSON.parse(request.body)
    const header = /^(\S+); epoch=(\d+); seq=(\d+)$/.exec(String(request.headers['sluice-producer']))
    const [name = '', epoch, first] = [header?.[1], Number(header?.[2]), Number(header?.[3])]
    const known = producers.get(name) ?? { epoch, seq: -1 }
    if (epoch < known.epoch) return refuse(409, 'producer_fenced', { epoch: known.epoch })
    const last = epoch > known.epoch ? -1 : known.seq
    if (first > last + 1) return refuse(409, 'producer_gap', { expected: last + 1 })
    const skipped = Math.max(last + 1 - first, 0)
    const list = (key: 'refuse' | 'find') =>
      events.flatMap(({ [key]: code }, index) =>
        code === undefined || index < skipped
          ? []
          : [{ line: index + 1, code, path: `/${key}`, message: 'Not this.' }],
      )
    const refused = list('refuse')
    if (refused.length > 0 && !isLines) return refuse(422, 'events_refused', { refused })
    const fresh = events.slice(skipped).filter((event) => event.refuse === undefined)
    stored.push(...fresh)
    batches.push(fresh.length)
    producers.set(name, { epoch, seq: Math.max(last, first + events.length - 1) })
    const counts = { accepted: fresh.length, duplicates: Math.min(skipped, events.length) }
    return {
      status: 200,
      body: { ...counts, refused, findings: list('find'), cursor: String(stored.length - 1) },
    }
  }

  return {
    stored,
    batches,
    producers,
    handle(request, response, mishap = 'none') {
      if (request.method === 'GET') {
        const name = decodeURIComponent(request.url.pathname.split('/').at(-1) ?? '')
        const known = producers.get(name)
        if (known === undefined) answerJson(response, refuse(404, 'unknown_producer').body, { status: 404 })
        else answerJson(response, { producer: name, ...known })
        return
      }
      const claimed = /\/producers\/([^/]+)$/.exec(request.url.pathname)?.[1]
      if (claimed !== undefined) {
        const name = decodeURIComponent(claimed)
        const mark = { epoch: (producers.get(name)?.epoch ?? -1) + 1, seq: -1 }
        producers.set(name, mark)
        answerJson(response, { producer: name, ...mark })
        return
      }
      if (mishap === 'lost') response.socket?.resetAndDestroy()
      else if (mishap === 'busy')
        answerJson(response, refuse(503, 'overloaded').body, { status: 503, headers: { 'retry-after': '0' } })
      else {
        const { status, body } = take(request)
        if (mishap === 'answer-lost') response.socket?.resetAndDestroy()
        else answerJson(response, body, { status })
      }
    },
  }
}

function readLine(line: string): { refuse?: string; find?: string } {
  try {
    return JSON.parse(line)
  } catch {
    return { refuse: 'not_json' }
  }
}
