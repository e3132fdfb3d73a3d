import { EventSource } from 'eventsource'
import type { SeenFrame, StockReader } from './stock-reader.ts'

/** The EventSource of the npm package of that name. */
export function openEventSource(url: string): StockReader {
  const source = new EventSource(url)
  const frames: SeenFrame[] = []
  let outcome: string | undefined
  source.addEventListener('message', ({ lastEventId: id, data }) => frames.push({ id, data }))
  source.addEventListener('sluice.end', ({ data }) => {
    outcome = (JSON.parse(data) as { outcome: string }).outcome // docs/http-api.md, Reading
  })
  const stopped = new Promise<number | undefined>((resolve) => {
    source.addEventListener('error', ({ code }) => {
      if (source.readyState === source.CLOSED) resolve(code)
    })
  })
  return { frames: () => frames, outcome: () => outcome, stopped, close: () => source.close() }
}
