import { createClient, type SessionChange } from '@sluice/client'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { runs } from '../../packages/client/src/testing/runs.ts'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'

let gateway: GatewayProcess | undefined
afterEach(() => gateway?.remove())

test('a list that is watched is what the gateway lists, over crashes and over either transport', async () => {
  gateway = await startGatewayProcess()
  const { url, localKey: token } = gateway
  const client = createClient({ url, token, WebSocket, transport: 'ws', random: () => 0.05 })
  const shown = { sse: new Map<string, string>(), ws: new Map<string, string>() }
  let progress = () => {}
  const stop = new AbortController()
  const show = (list: Map<string, string>, change: SessionChange) => {
    if (change.type === 'begin') list.clear()
    if (change.type === 'session') list.set(change.session.id, change.session.state)
    if (change.type === 'deleted') list.delete(change.id)
    progress()
  }
  const watching = (['sse', 'ws'] as const).map(async (transport) => {
    for await (const change of client.sessions.watch({ transport, signal: stop.signal }))
      show(shown[transport], change)
  })
  const areShown = async () => {
    const { sessions } = await client.sessions.list()
    const wanted = JSON.stringify(sessions.map(({ id, state }) => [id, state]).sort())
    while (Object.values(shown).some((list) => JSON.stringify([...list].sort()) !== wanted))
      await new Promise<void>((resolve) => {
        progress = resolve
      })
  }

  for (let crash = 0; crash < runs(3); crash++) {
    const [ending, leaving, staying] = [`sess_${crash}a`, `sess_${crash}b`, `sess_${crash}c`]
    for (const id of [ending, leaving, staying]) await client.sessions.create({ id })
    await areShown()
    await gateway.kill()
    await gateway.restart()
    await client.sessions.end(ending)
    await client.sessions.delete(leaving)
    await areShown()
    expect(Object.fromEntries(shown.ws)).toEqual({ [ending]: 'ended', [staying]: 'open' })
    for (const id of [ending, staying]) await client.sessions.delete(id)
  }
  stop.abort(new Error('enough'))
  for (const each of watching) await expect(each).rejects.toThrow('enough')
})
