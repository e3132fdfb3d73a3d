import type { Clock, JsonObject } from '@sluice/protocol'
import { parseObject } from '../parse-object.ts'
import { textOf } from '../story.ts'
import type { ArrivedEvent, Item } from '../transcript.ts'

/** Everything that one subscription receives and sends, in order. */
export interface Recorder {
  readonly items: readonly Item[]
  push(item: Item): void
  /** Records one text from the wire: an event, another message, or garbage. */
  take(text: string, frame?: ArrivedEvent['frame']): void
  /** Drops the events of these sessions. */
  forget(sessions: ReadonlySet<string>): void
  /** Ends all current and future waiting. */
  abandon(): void
  /** Resolves with true as soon as `holds` returns true, or with false after `timeoutMs`. */
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
      const atMs = clock.monotonic()
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
