import { type Clock, type Entry, formatCursor, type Timer } from '@sluice/protocol'
import type { ConcurrencyLimit } from '../concurrency-limit.ts'
import type { Encoding } from './batch.ts'
import type { Follower } from './follower.ts'
import { cursorOf, heldUntil, type Position, type ViewSpec } from './position.ts'
import type { RingBudget } from './ring-budget.ts'
import { createView, type View, type ViewLimits } from './view.ts'
import type { WireFormat } from './wire-format.ts'

/** A subscriber at the head that cannot share a view. */
export interface Waiter {
  /** There is more to read. */
  wake(): void
}

/** The time of a session's entries, in ms since 1970: it never decreases. */
export interface EntryTime {
  now(): number
}

/** All views of one session, and the subscribers that wait at its head. */
export interface Hub {
  /**
   * The view for a subscriber that has reached the head and places itself there. Undefined if it joined inside text
   * that the view holds as a whole: then the subscriber waits until that text is sent.
   */
  follow(encoding: Encoding, position: Position): View | undefined
  /** Notes where a follower of a view is. */
  place(view: View, follower: Follower): void
  unfollow(view: View, follower: Follower): void
  /** Wakes the waiter when there is more, and when the entries' time is `at`, if one is given. */
  wait(waiter: Waiter, at: number | undefined): void
  unwait(waiter: Waiter): void
  /** Whether text that is held until `until` can be sent: no entry of its span can still come. */
  isOver(until: number): boolean
  /**
   * Passes new entries to all views; `ended` if they are the last. Entries that become durable in one turn of the event
   * loop are encoded together and reach each connection in one write, at the end of that turn.
   */
  publish(entries: readonly Entry[], last: { readonly ended: boolean }): void
  /** Whether nobody follows or waits. */
  readonly isQuiet: boolean
  close(): void
  /** What views and stalled subscribers keep counts against it. */
  readonly budget: RingBudget
  /** In which subscribers read the log: what they have read and not yet encoded is in memory. */
  readonly reads: ConcurrencyLimit
}

export interface HubOptions {
  readonly clock: Clock
  readonly time: EntryTime
  readonly limits: ViewLimits
  readonly budget: RingBudget
  readonly reads: ConcurrencyLimit
  /** Counts the frames and bytes that a view delivers. */
  delivered(transport: WireFormat['transport'], dialect: string): (frames: number, bytes: number) => void
  /** Whether entries from before this time may still be committed. */
  hasPendingBefore(at: number): boolean
}

export function createHub(options: HubOptions): Hub {
  const { clock, time, limits, budget } = options
  const views = new Map<string, View>()
  const waiters = new Map<Waiter, Timer | undefined>()
  const timers = new Map<View, Timer>()
  let gathered: Entry[] = []
  let hasEnded = false

  const wakeAll = (): void => {
    for (const waiter of [...waiters.keys()]) waiter.wake()
  }

  const isOver = (until: number): boolean =>
    time.now() >= until && gathered.length === 0 && !options.hasPendingBefore(until)

  /** Sends text that is joined by time when its span ends. */
  const schedule = (view: View): void => {
    const { held } = view.head
    const until = heldUntil(view.spec, view.head)
    // Its last follower may have left while it published.
    if (held === undefined || until === undefined || view.isUnused || timers.has(view)) return
    const run = (): void => {
      timers.delete(view)
      if (view.head.held === undefined) return
      if (isOver(until) && view.head.held.span === held.span) {
        view.flush()
        wakeAll()
      }
      schedule(view)
    }
    timers.set(view, clock.after(Math.max(1, until - time.now()), run))
  }

  const publishGathered = (): void => {
    const entries = gathered
    gathered = []
    for (const view of [...views.values()]) {
      view.publish(entries)
      if (hasEnded) view.end()
      else schedule(view)
    }
    wakeAll()
  }

  const drop = (view: View): void => {
    timers.get(view)?.clear()
    timers.delete(view)
    const key = keyOf(view.spec, view.format)
    if (views.get(key) === view) views.delete(key)
    view.close()
  }

  return {
    budget,
    reads: options.reads,
    follow(encoding, position) {
      const { spec, format } = encoding
      const key = keyOf(spec, format)
      const known = views.get(key)
      if (known !== undefined && !isSamePlace(known.head, position)) return undefined
      const view =
        known ??
        createView(encoding, position, {
          clock,
          limits,
          budget,
          delivered: options.delivered(format.transport, spec.dialect),
        })
      views.set(key, view)
      return view
    },
    place(view, follower) {
      view.place(follower)
      schedule(view)
    },
    unfollow(view, follower) {
      view.leave(follower)
      if (view.isUnused) drop(view)
    },
    wait(waiter, at) {
      const timer = at === undefined ? undefined : clock.after(Math.max(1, at - time.now()), waiter.wake)
      waiters.set(waiter, timer)
    },
    unwait(waiter) {
      waiters.get(waiter)?.clear()
      waiters.delete(waiter)
    },
    isOver,
    publish(entries, { ended }) {
      hasEnded ||= ended
      if (views.size === 0 && waiters.size === 0) return
      // Runs after all promises that the same commit resolves.
      if (gathered.length === 0) process.nextTick(publishGathered)
      for (const entry of entries) gathered.push(entry)
    },
    get isQuiet() {
      return views.size === 0 && waiters.size === 0
    },
    close() {
      gathered = []
      for (const view of [...views.values()]) drop(view)
      for (const timer of waiters.values()) timer?.clear()
      waiters.clear()
    },
  }
}

function keyOf(spec: ViewSpec, format: WireFormat): string {
  return `${format.id} ${spec.key}`
}

function isSamePlace(a: Position, b: Position): boolean {
  return a.seq === b.seq && formatCursor(cursorOf(a)) === formatCursor(cursorOf(b))
}
