import { createHash } from 'node:crypto'
import type { ReadRequest, Transport } from '../testing/reading.ts'
import type { GatewayLives } from './gateway-lives.ts'
import { readMark } from './numbered-producer.ts'

/** A reader that resumes from its cursor after every interruption, and checks what it receives. */
export interface FollowingReader {
  readonly events: number
  readonly connections: number
  /** Resolves at the end of the session. */
  readonly done: Promise<Followed>
}

export interface Followed {
  /** How many events of each producer arrived. */
  readonly counts: Readonly<Record<string, number>>
  /** Over all frames and cursors, in order. */
  readonly digest: string
  /** The first frames that were missing, repeated or out of order. */
  readonly wrong: readonly string[]
}

const maxTold = 3

export function followSession(
  lives: GatewayLives,
  transport: Transport,
  wanted: Omit<ReadRequest, 'url' | 'after'>,
): FollowingReader {
  const counts: Record<string, number> = {}
  const hash = createHash('sha256')
  const wrong: string[] = []
  let cursor = '-1'
  let events = 0
  let connections = 0

  const take = (next: string, text: string): void => {
    cursor = next
    hash.update(`${next} ${text}\n`)
    const mark = readMark(text)
    if (mark === undefined) return
    const { name, n } = mark
    const expected = counts[name] ?? 0
    // Each event is a separate entry, so its number in the session is known too.
    if ((n !== expected || Number(next) !== events) && wrong.length < maxTold)
      wrong.push(`${name}/${n} at ${next} instead of ${name}/${expected} at ${events}`)
    counts[name] = n + 1
    events += 1
  }

  const run = async (): Promise<Followed> => {
    for (;;) {
      await lives.alive()
      connections += 1
      const request = { ...wanted, url: lives.url, after: cursor }
      const { how } = await transport(request, (frame) => take(frame.cursor, frame.text)).closed
      if (how === 'ended') return { counts, digest: hash.digest('hex'), wrong }
      if (how === 'clean') wrong.push(`a clean end in the middle, after ${cursor}`)
    }
  }

  return {
    get events() {
      return events
    },
    get connections() {
      return connections
    },
    done: run(),
  }
}
