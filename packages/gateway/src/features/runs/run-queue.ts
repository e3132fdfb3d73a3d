import { SluiceError } from '@sluice/protocol'

/** The place of a run in the queue of its agent. */
export interface QueuePlace {
  readonly isWaiting: boolean
  /** True once it is its turn; false if it left before. */
  readonly came: Promise<boolean>
  /** Leaves: makes room for the next run, or gives up waiting. Further calls do nothing. */
  end(): void
}

/** The runs of one agent: a limited number is active, a limited number waits, first come first served. */
export interface RunQueue {
  readonly active: number
  readonly queued: number
  /** Throws `agent_busy`. */
  take(): QueuePlace
}

export function createRunQueue(concurrency: number, queue: number): RunQueue {
  let active = 0
  const waiting = new Set<() => void>()

  const next = (): void => {
    const [first] = waiting
    if (first === undefined) return
    waiting.delete(first)
    first()
  }

  return {
    get active() {
      return active
    },
    get queued() {
      return waiting.size
    },
    take() {
      const isNow = active < concurrency
      if (!isNow && waiting.size >= queue) throw new SluiceError('agent_busy')
      let isWaiting = !isNow
      let isOver = false
      let settle: (isTurn: boolean) => void = () => {}
      const came = new Promise<boolean>((resolve) => {
        settle = resolve
      })
      const begin = (): void => {
        isWaiting = false
        active += 1
        settle(true)
      }
      if (isNow) begin()
      else waiting.add(begin)
      return {
        get isWaiting() {
          return isWaiting
        },
        came,
        end() {
          if (isOver) return
          isOver = true
          if (waiting.delete(begin)) {
            isWaiting = false
            settle(false)
            return
          }
          active -= 1
          next()
        },
      }
    },
  }
}
