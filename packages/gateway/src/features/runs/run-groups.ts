import { createHash } from 'node:crypto'
import type { Log } from '@sluice/log'
import type { Clock } from '@sluice/protocol'
import { createKeptStream } from '../../kernel/kept-stream.ts'

/** Groups of runs' sessions by a key; finding a group reads no other session. */
export interface RunGroups {
  /** The latest ones, newest first. */
  sessionsOf(...key: readonly [string, string]): Promise<readonly string[]>
  /** Durable when it resolves. */
  add(session: string, ...key: readonly [string, string]): Promise<void>
}

const maxKept = 8

/**
 * Each group is a stream of the log, though not a session; its head holds everything. Its name starts with
 * `prefix`.
 */
export function createRunGroups(log: Log, clock: Clock, prefix: 'ctx' | 'hdl'): RunGroups {
  let adding: Promise<unknown> = Promise.resolve()

  const streamOf = (key: readonly string[]): string =>
    `${prefix}_${createHash('sha256').update(key.join('\0')).digest('hex')}`

  const sessionsOf: RunGroups['sessionsOf'] = async (...key) => {
    const sessions = (await log.head(streamOf(key)))?.info['sessions']
    return Array.isArray(sessions) ? sessions.filter((session) => typeof session === 'string') : []
  }

  const append = async (session: string, key: readonly [string, string]): Promise<void> => {
    const others = (await sessionsOf(...key)).filter((each) => each !== session)
    const stream = createKeptStream(log, clock, streamOf(key))
    await stream.append([], { info: { kind: 'run_group', sessions: [session, ...others].slice(0, maxKept) } })
  }

  return {
    sessionsOf,
    add(session, ...key) {
      const added = adding.then(() => append(session, key))
      adding = added.catch(() => {})
      return added
    },
  }
}
