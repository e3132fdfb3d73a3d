import { createClient, type SubscribeOptions } from '@sluice/client'
import { WebSocket } from 'ws'
import type { SeenFrame, StockReader } from './stock-reader.ts'

/** The client of this repository, over either transport. */
export function openClient(
  url: string,
  transport: NonNullable<SubscribeOptions<'sluice'>['transport']>,
): StockReader {
  const { origin, pathname } = new URL(url)
  const session = pathname.split('/')[3] ?? ''
  const aborted = new AbortController()
  const client = createClient({ url: origin, WebSocket })
  const frames: SeenFrame[] = []
  let outcome: string | undefined

  const read = async (): Promise<undefined> => {
    for await (const item of client.subscribe(session, { transport, signal: aborted.signal })) {
      if (item.type === 'frame')
        frames.push({ id: item.cursor, data: item.text ?? JSON.stringify(item.frame) })
      else if (item.type === 'end') outcome = item.outcome
    }
  }
  return { frames: () => frames, outcome: () => outcome, stopped: read(), close: () => aborted.abort() }
}
