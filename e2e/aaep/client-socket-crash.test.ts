import { createClient } from '@sluice/client'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { runs } from '../../packages/client/src/testing/runs.ts'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'

let gateway: GatewayProcess | undefined
afterEach(() => gateway?.remove())

test('an AAEP subscription over a WebSocket gets every event once, however often the gateway is killed', async () => {
  gateway = await startGatewayProcess()
  const { url, localKey: token } = gateway
  const connect = () => createClient({ url, token, WebSocket, transport: 'ws', random: () => 0.05 })
  const session = await connect().createSession({ agent: 'survivor' })
  const events = connect().subscribeAaep(
    {
      supports_confirmation_reply: true,
      coalesce_boundaries: ['none'],
      max_events_per_second: 1000,
      pace_wpm: 1000,
    },
    { sessions: [session.id] },
  )
  await events.accepted

  const crashes = runs(3)
  const perCrash = 40
  const words = Array.from({ length: (crashes + 1) * perCrash }, (_, n) => `word${n} `)
  let heard = ''
  let progress = () => {}
  const ids: string[] = []
  const reading = (async () => {
    for await (const event of events) {
      ids.push(event.event_id)
      if ('chunk' in event) heard += event.chunk
      progress()
      if (event.type === 'aaep:agent.awaiting.confirmation') await events.reply(event, 'accept')
    }
  })()
  const hasHeard = async (text: string) => {
    while (!heard.includes(text))
      await new Promise<void>((resolve) => {
        progress = resolve
      })
  }

  for (let crash = 0; crash <= crashes; crash++) {
    for (const word of words.slice(crash * perCrash, (crash + 1) * perCrash)) session.text(word)
    if (crash === crashes) break
    // Some words arrive before the gateway dies, the rest after it is back.
    await hasHeard(words[crash * perCrash + perCrash / 2] ?? '')
    await gateway.kill()
    await gateway.restart()
  }
  const confirmed = await session.confirm({ action: 'Stop', consequence: 'It ends.', timeoutMs: 600_000 })
  expect(confirmed).toMatchObject({ decision: 'accept', how: 'answered' })
  await session.complete()
  await reading
  expect(heard).toBe(words.join(''))
  expect(new Set(ids).size).toBe(ids.length)
  await events.close()
})
