import type { Clock, JsonObject } from '@sluice/protocol'
import { parseObject } from '../parse-object.ts'
import { textOf } from '../story.ts'
import type { ArrivedEvent, Item } from '../transcript.ts'

/** What one subscription sees, in the order of arrival. */
export interface Recorder {
  readonly items: readonly Item[]
  push(item: Item): void
  /** One text of the wire: an event, a message beside the events, or garbage. */
  take(text: string, frame?: ArrivedEvent['frame']): void
  /** Drops the events of sessions that are none of the suite's. */
  forget(sessions: ReadonlySet<string>): void
  /** Ends all waiting, also what is begun later. */
  abandon(): void
  /** Resolves with true when it holds, with false when the time is over. */
  until(holds: (items: readonly Item[]) => boolean, timeoutMs: number): Promise<boolean>
}

export function createRecorder(clock: Clock, foreign: ReadonlySet<string>): Recorder {
  let items: Item[] = []
  const waiters = new Set<() => void>()
  let isAbandoned = false
  const isForeign = (item: Item): boolean =>
    item.kind === 'event' && foreign.has(textOf(item.event, 'session_id'))
  const push = (item: Item): void => {
    if (isForeign(item)) return
    items.push(item)
    for (const wake of waiters) wake()
  }
  return {
    get items() {
      return items
    },
    push,
    take(text, frame) {
      const value = parseObject(text)
      const atMs = clock.now()
      if (value === undefined) push({ kind: 'garbage', atMs, detail: 'A message is no JSON object.' })
      else if (isMessage(value)) push({ kind: 'message', atMs, message: value })
      else push({ kind: 'event', atMs, event: value, ...(frame && { frame }) })
    },
    forget(sessions) {
      items = items.filter(
        (item) => !(item.kind === 'event' && sessions.has(textOf(item.event, 'session_id'))),
      )
    },
    abandon() {
      isAbandoned = true
      for (const wake of waiters) wake()
    },
    until: (holds, timeoutMs) =>
      new Promise((resolve) => {
        const end = (answer: boolean): void => {
          timer.clear()
          waiters.delete(look)
          resolve(answer)
        }
        const look = (): void => {
          if (isAbandoned) end(false)
          else if (holds(items)) end(true)
        }
        const timer = clock.after(timeoutMs, () => end(false))
        waiters.add(look)
        look()
      }),
  }
}

function isMessage(value: JsonObject): boolean {
  return /^(?:subscription|confirmation|clarification)\./.test(textOf(value, 'type')) || 'error' in value
}
