import { type RawData, WebSocket } from 'ws'
import { toReply, toSubscriptionRequest } from './aaep-reading.ts'

/** Clients that behave badly until they are stopped. */
export interface Nuisances {
  /** How many messages they have sent. */
  sent(): number
  stop(): Promise<void>
}

const nonsense: readonly (string | Buffer)[] = [
  '',
  'not json',
  '{"type":',
  '[]',
  'null',
  '{"type":"confirmation.reply"}',
  '{"type":"subscription.renegotiate","subscription_id":"sub_x","capabilities":7}',
  '{"type":"subscription.close","subscription_id":"sub_somebody"}',
  '{"type":"clarification.reply","reply_token":"rpl_1","response":{}}',
  Buffer.from([0, 1, 2, 255]),
]

/** Two over a WebSocket and two by POST: one floods with replies, the other sends invalid messages. */
export async function openNuisances(url: string, key: string, session: string): Promise<Nuisances> {
  let isOver = false
  let sent = 0
  const authorization = `Bearer ${key}`
  const reply = (): string => JSON.stringify(toReply(`rpl_forged${sent}`, 'accept', 'sub_forged'))
  const nonsenseAt = (n: number): string | Buffer => nonsense[n % nonsense.length] ?? ''

  const post = async (make: () => string | Buffer): Promise<void> => {
    while (!isOver) {
      sent += 1
      const response = await fetch(`${url}/aaep/v1/replies`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization },
        body: Buffer.from(make()),
      })
      await response.arrayBuffer()
      if (response.status >= 500) throw new Error(`${response.status} to a reply`)
    }
  }

  /** Reconnects whenever it is disconnected. */
  const talk = async (make: () => string | Buffer, burst: number): Promise<void> => {
    while (!isOver) {
      const ws = new WebSocket(`${url.replace(/^http/, 'ws')}/aaep/v1/ws`, 'aaep.v1', {
        headers: { authorization },
      })
      const closed = new Promise<void>((resolve) => ws.on('close', () => resolve()))
      ws.on('error', () => {})
      await new Promise<void>((resolve) => {
        ws.on('open', () =>
          ws.send(JSON.stringify(toSubscriptionRequest({ url, key, sessions: [session], after: 'now' }))),
        )
        ws.on('message', (data: RawData) => {
          if (String(data).includes('subscription.accepted')) resolve()
        })
        ws.on('close', () => resolve())
      })
      while (!isOver && ws.readyState === ws.OPEN) {
        for (let n = 0; n < burst && ws.readyState === ws.OPEN; n += 1) {
          sent += 1
          ws.send(make())
        }
        await new Promise((resolve) => setImmediate(resolve))
      }
      ws.close(4005)
      await closed
    }
  }

  const all = [post(reply), post(() => nonsenseAt(sent)), talk(reply, 200), talk(() => nonsenseAt(sent), 5)]
  return {
    sent: () => sent,
    async stop() {
      isOver = true
      await Promise.all(all)
    },
  }
}
