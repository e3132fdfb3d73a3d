import type { Clock, Timer } from '@sluice/protocol'
import { createQueue } from './queue.ts'
import type { Storage } from './storage.ts'

interface RegroupOptions {
  readonly regroupBytes: number
  readonly regroupAfterMs: number
  readonly clock: Clock
  /** Runs a task when all appends that were taken before are durable, and none is under way. */
  readonly runBetween: <Result>(task: () => Promise<Result>) => Promise<Result>
}

/** Brings the tail into the tables when it is large or old, while appends go on. */
export interface RegroupSchedule {
  /** To be called when something was added to the tail. */
  look(): void
  /**
   * Brings all that was taken before into the tables and removes sessions, durably when it resolves. Rejects as
   * Storage.move().
   */
  run(deletes?: ReadonlySet<string>): Promise<void>
  /** What appends have to wait for, because too much is in memory; undefined most of the time. */
  hold(): Promise<void> | undefined
  /** Resolves when nothing is under way; begins nothing after it. */
  stop(): Promise<void>
}

// The tail may grow to so many times its size while an earlier part of it is regrouped.
const maxTails = 4
const nothing: ReadonlySet<string> = new Set()

export function createRegroupSchedule(
  storage: Storage,
  { regroupBytes, regroupAfterMs, clock, runBetween }: RegroupOptions,
): RegroupSchedule {
  const queue = createQueue()
  let timer: Timer | undefined
  let isDue = false
  let isQueued = false
  let isStopped = false
  let moving: Promise<void> | undefined

  function look(): void {
    const { bytes } = storage.tail()
    if (isStopped || bytes === 0) return
    timer ??= clock.after(regroupAfterMs, () => {
      timer = undefined
      isDue = storage.tail().bytes > 0
      look()
    })
    if (isQueued || storage.failure() !== undefined || !(isDue || bytes >= regroupBytes)) return
    isQueued = true
    const done = () => {
      isQueued = false
      look()
    }
    run().then(done, done) // failure() tells
  }

  function run(deletes = nothing): Promise<void> {
    return queue(async () => {
      await storage.prepareTurn()
      const plan = await runBetween(() => {
        isDue = false
        return storage.turn(deletes)
      })
      const move = storage.move(plan)
      moving = move.catch(() => {})
      try {
        await move
      } finally {
        moving = undefined
      }
    })
  }

  return {
    look,
    run,
    hold: () => (storage.tail().bytes >= maxTails * regroupBytes ? moving : undefined),
    async stop() {
      isStopped = true
      timer?.clear()
      await queue(() => Promise.resolve())
    },
  }
}
