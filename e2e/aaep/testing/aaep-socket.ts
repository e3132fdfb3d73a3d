import { type JsonObject, omitUndefined } from '@sluice/protocol'
import { type RawData, WebSocket } from 'ws'
import { type AaepReading, type AaepRequest, toSubscriptionRequest } from './aaep-reading.ts'

/** Reads a subscription over a WebSocket, which also carries the reader's messages. */
export async function readAaepSocket(request: AaepRequest): Promise<AaepReading> {
  const { url, key, subscription, lastEventId } = request
  const ws = new WebSocket(`${url.replace(/^http/, 'ws')}/aaep/v1/ws`, 'aaep.v1', {
    headers: { authorization: `Bearer ${key}` },
    perMessageDeflate: false,
  })
  const events: JsonObject[] = []
  let closed: AaepReading['closed']
  const again = omitUndefined({
    subscription_id: subscription,
    last_event_id: lastEventId,
  })
  const accepted = await new Promise<string>((resolve, reject) => {
    ws.on('open', () => ws.send(JSON.stringify(toSubscriptionRequest(request, again))))
    ws.on('message', (data: RawData) => {
      const message = JSON.parse(String(data)) as JsonObject // the gateway sends JSON objects
      if (message['type'] === 'subscription.accepted') resolve(String(message['subscription_id']))
      else if (message['type'] === 'subscription.rejected') reject(new Error(JSON.stringify(message)))
      else if (closed === undefined) events.push(message)
    })
    ws.on('error', reject)
    ws.on('close', (code) => {
      // 4000: nothing follows.
      closed ??= code === 4000 ? 'over' : 'broken'
      reject(new Error(`closed with ${code}`))
    })
  })
  return {
    subscription: accepted,
    events,
    get closed() {
      return closed
    },
    say: async (message) => ws.send(JSON.stringify(message)),
    stall: () => ws.pause(),
    readOn: () => ws.resume(),
    cut() {
      closed ??= 'cut'
      ws.terminate()
    },
  }
}
