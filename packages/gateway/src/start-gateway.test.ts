import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type StartedGateway, startGateway } from './start-gateway.ts'

const started: StartedGateway[] = []
const folders: string[] = []
afterEach(async () => {
  for (const gateway of started.splice(0)) await gateway.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const start = async (settings: Parameters<typeof startGateway>[0]): Promise<StartedGateway> => {
  const gateway = await startGateway({ port: 0, logLevel: 'fatal', ...settings })
  started.push(gateway)
  return gateway
}
const post = (url: string, key: string, body: object) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  })

test('startGateway() with nothing but a port serves from memory, and its key may do everything', async () => {
  const { url, localKey } = await start({})
  const event = { type: 'answer_chunk', data: { content: 'x' } }
  const events = `${url}/v1/sessions/sess_a/events?dialect=stream-event`
  expect((await post(events, localKey, event)).status).toBe(200)
  const removed = await fetch(`${url}/v1/sessions/sess_a`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${localKey}` },
  })
  expect(removed.status).toBe(204)
})

test('startGateway() on a data directory has after a restart what it had before', async () => {
  const data = mkdtempSync(join(tmpdir(), 'sluice-embedded-'))
  folders.push(data)
  const first = await startGateway({ port: 0, logLevel: 'fatal', data })
  expect((await post(`${first.url}/v1/sessions`, first.localKey, { id: 'sess_kept' })).status).toBe(201)
  await first.close()
  const second = await start({ data })
  expect(second.localKey).toBe(first.localKey)
  expect((await fetch(`${second.url}/v1/sessions/sess_kept`)).status).toBe(200)
})

test('startGateway() rejects what other machines could enter, and makes nothing on disk', async () => {
  const data = join(tmpdir(), 'sluice-never-made')
  await expect(startGateway({ host: '0.0.0.0', data })).rejects.toMatchObject({ code: 'bad_config' })
})
