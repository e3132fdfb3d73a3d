import { createClient } from '@sluice/client'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { runs } from '../../packages/client/src/testing/runs.ts'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'

let gateway: GatewayProcess | undefined
afterEach(() => gateway?.remove())

test('publishing and reading go on over crashes of the gateway: nothing is lost, nothing comes twice', async () => {
  gateway = await startGatewayProcess()
  const { url, localKey: token } = gateway
  const client = createClient({ url, token, WebSocket, random: () => 0.05 })
  const session = 'sess_crashes'
  await client.sessions.create({ id: session })

  const crashes = runs(3)
  const perCrash = 300
  const total = (crashes + 1) * perCrash
  const seen = { sse: [] as string[], ws: [] as string[] }
  let progress = () => {}
  const reading = (['sse', 'ws'] as const).map(async (transport) => {
    for await (const item of client.subscribe(session, { transport, dialect: 'stream-event' })) {
      if (item.type === 'gap') throw new Error('What was read before the crash is gone.')
      if (item.type === 'frame') seen[transport].push(JSON.stringify(item.frame))
      progress()
    }
  })
  const hasSeen = async (count: number) => {
    while (seen.sse.length < count || seen.ws.length < count)
      await new Promise<void>((resolve) => {
        progress = resolve
      })
  }

  const events = Array.from({ length: total }, (_, n) => ({
    type: 'answer_chunk',
    data: { text: `word${n} ` },
  }))
  const publishing = (async () => {
    const publisher = client.publisher(session, {
      dialect: 'stream-event',
      maxBatchEvents: 7,
      maxPendingBytes: 1_000,
    })
    for (const event of events) {
      await publisher.ready()
      publisher.send(event)
    }
    await publisher.close()
  })()

  for (let crash = 1; crash <= crashes; crash++) {
    await Promise.race([hasSeen(crash * perCrash), publishing])
    await gateway.kill()
    await gateway.restart()
  }
  await publishing
  await client.sessions.end(session)
  await Promise.all(reading)
  for (const frames of Object.values(seen)) {
    const texts = frames.map((frame) => JSON.parse(frame)).filter(({ type }) => type === 'answer_chunk')
    expect(texts.map(({ data }) => data.text)).toEqual(events.map(({ data }) => data.text))
  }
})
