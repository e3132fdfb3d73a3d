import type { Clock, Timer } from '@sluice/protocol'
import { createQueue } from './queue.ts'
import type { Storage } from './storage.ts'

interface RegroupOptions {
  readonly regroupBytes: number
  readonly regroupAfterMs: number
  readonly clock: Clock
  /** Runs a task once all earlier appends are durable, while no append is in progress. */
  readonly runBetween: <Result>(task: () => Promise<Result>) => Promise<Result>
}

/** Moves the tail into the tables when it is large or old, while appends continue. */
export interface RegroupSchedule {
  /** Starts a regroup if one is due. Call it after adding to the tail. */
  look(): void
  /**
   * Moves all earlier appends into the tables and removes sessions; durable once it resolves. Rejects like
   * Storage.move().
   */
  run(deletes?: ReadonlySet<string>): Promise<void>
  /** The regroup that appends must wait for because too much is in memory; usually undefined. */
  hold(): Promise<void> | undefined
  /** Stops the schedule. Resolves when no regroup is in progress. */
  stop(): Promise<void>
}

// While an earlier part of the tail is regrouped, the tail may grow to this multiple of `regroupBytes`.
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
    run().then(done, done) // failure() has the error
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
