import { get, type IncomingMessage } from 'node:http'
import { createSseDecoder, type JsonObject, omitUndefined } from '@sluice/protocol'
import { type AaepReading, type AaepRequest, toSubscriptionRequest } from './aaep-reading.ts'

/** Reads a subscription as server-sent events; the reader's messages go by POST. */
export async function readAaepSse(request: AaepRequest): Promise<AaepReading> {
  const { url, key, lastEventId } = request
  const authorization = `Bearer ${key}`
  const post = (path: string, message: JsonObject): Promise<Response> =>
    fetch(`${url}/aaep/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify(message),
    })
  const subscription =
    request.subscription ?? (await subscribe(await post('subscriptions', toSubscriptionRequest(request))))

  const events: JsonObject[] = []
  let closed: AaepReading['closed']
  const asked = get(`${url}/aaep/v1/events?subscription_id=${subscription}`, {
    agent: false,
    headers: omitUndefined({
      accept: 'text/event-stream',
      authorization,
      'last-event-id': lastEventId,
    }),
  })
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    asked.on('response', resolve)
    asked.on('error', reject)
  })
  if (response.statusCode === 204) closed = 'over'
  else if (response.statusCode !== 200) throw new Error(`${response.statusCode} for ${subscription}`)
  const decoder = createSseDecoder()
  response.on('data', (chunk: Buffer) => {
    for (const message of decoder.push(chunk)) {
      if (!message.ok) throw new Error(`not an event: ${message.code}`)
      if (message.event !== 'aaep.event') throw new Error(`unexpected: ${message.event}`)
      const event = JSON.parse(message.data) as JsonObject // the gateway sends JSON objects
      if (message.id !== event['event_id']) throw new Error(`id ${message.id} of ${message.data}`)
      if (closed === undefined) events.push(event)
    }
  })
  response.on('end', () => {
    closed ??= 'over'
  })
  response.on('error', () => {
    closed ??= 'broken'
  })
  return {
    subscription,
    events,
    get closed() {
      return closed
    },
    async say(message) {
      const answer = await post('replies', message)
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
    },
    stall: () => response.pause(),
    readOn: () => response.resume(),
    cut() {
      closed ??= 'cut'
      response.socket.resetAndDestroy()
    },
  }
}

async function subscribe(response: Response): Promise<string> {
  const answer = (await response.json()) as { readonly subscription_id?: string } // accepted or rejected
  if (answer.subscription_id === undefined) throw new Error(`${response.status} ${JSON.stringify(answer)}`)
  return answer.subscription_id
}
