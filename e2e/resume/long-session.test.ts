import { request } from 'node:http'
import { omitUndefined } from '@sluice/protocol'
import { dialects } from '@sluice/protocol/dialects'
import { expect, onTestFinished, test } from 'vitest'
import { startGatewayProcess } from '../testing/gateway-process.ts'
import { rounds } from '../testing/rounds.ts'
import { transportNames } from '../testing/transports.ts'
import { openStalled } from './stalled-reader.ts'

/** 2 GB in the soak. */
const totalCharacters = 100_000_000 * Math.min(rounds, 20)
const heapMiB = rounds > 1 ? 256 : 96
const session = 'sess_long'
const coalescings = [undefined, 'sentence', '40ms', 'paragraph', 'word']
const sentence = 'The quick brown fox jumps over the lazy dog. '
/** Once in each chunk. */
const mark = '@@'
const chunk = `${mark} ${sentence.repeat(180)}`
const line = `${JSON.stringify({ type: 'answer_chunk', data: { text: chunk } })}\n`
const chunks = Math.ceil(totalCharacters / chunk.length)

/** Uploads the whole text as one streamed request, as fast as the gateway takes it; resolves with the receipt. */
function upload(url: string): Promise<{ readonly accepted: number; readonly refused: readonly unknown[] }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-ndjson' }
    const post = request(
      `${url}/v1/sessions/${session}/events?dialect=stream-event`,
      { method: 'POST', headers },
      async (response) => {
        let text = ''
        for await (const part of response.setEncoding('utf8')) text += part
        resolve(JSON.parse(text))
      },
    )
    post.on('error', reject)
    let sent = 0
    const send = (): void => {
      while (sent < chunks) {
        sent += 1
        if (!post.write(line)) {
          post.once('drain', send)
          return
        }
      }
      post.end()
    }
    send()
  })
}

/** Follows the session to its end, and resolves with the number of chunks it has received. */
async function followChunks(url: string, dialect: string): Promise<number> {
  const answer = await fetch(`${url}/v1/sessions/${session}/events?dialect=${dialect}`, {
    headers: { accept: 'application/x-ndjson' },
  })
  let count = 0
  let rest = Buffer.alloc(0)
  for await (const part of answer.body ?? []) {
    const bytes = Buffer.concat([rest, part])
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + mark.length)) count += 1
    rest = bytes.subarray(1 - mark.length)
  }
  return count
}

test('a session much larger than the heap is written, followed, resumed and read in every dialect', async () => {
  const gateway = await startGatewayProcess({
    nodeOptions: [`--max-old-space-size=${heapMiB}`],
    settings: { SLUICE_HEARTBEAT_MS: '1h' },
  })
  onTestFinished(() => gateway.remove())
  const { url } = gateway
  const created = await fetch(`${url}/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: session }),
  })
  expect(created.status).toBe(201)
  const ids = dialects.map(({ id }) => id)
  await Promise.all(
    Array.from({ length: rounds > 1 ? 100 : 12 }, (_, index) =>
      openStalled(transportNames[index % transportNames.length] ?? 'sse', {
        ...{ url, session, dialect: ids[index % ids.length] ?? 'sluice' },
        ...omitUndefined({ coalesce: coalescings[Math.floor(index / ids.length) % coalescings.length] }),
      }),
    ),
  )
  const following = ids.map((dialect) => followChunks(url, dialect))
  const receipt = await upload(url)
  expect(receipt).toMatchObject({ accepted: chunks, refused: [] })

  const snapshot = await fetch(`${url}/v1/sessions/${session}`)
  const state = (await snapshot.json()) as {
    readonly snapshot: { readonly outputs: readonly { readonly text: string; readonly omitted: number }[] }
  }
  const [output] = state.snapshot.outputs
  expect(output?.text.endsWith(sentence)).toBe(true)
  expect((output?.omitted ?? 0) + (output?.text.length ?? 0)).toBe(chunks * chunk.length)

  // Joining late, and again after a restart that knows nothing but the log.
  for (const round of ['live', 'restarted']) {
    if (round === 'restarted') {
      expect((await fetch(`${url}/v1/sessions/${session}/end`, { method: 'POST' })).ok).toBe(true)
      // A native entry has its text twice: as it was received, and in its event.
      expect(await Promise.all(following)).toEqual(ids.map((id) => (id === 'sluice' ? 2 : 1) * chunks))
      await gateway.kill()
      await gateway.restart()
    }
    for (const dialect of ids) {
      const query = `dialect=${dialect}&after=${chunks - 20}&live=false`
      const answer = await fetch(`${url}/v1/sessions/${session}/events?${query}`, {
        headers: { accept: 'application/x-ndjson' },
      })
      const frames = (await answer.text()).trim().split('\n')
      expect(frames.length, `${dialect}, ${round}`).toBeGreaterThanOrEqual(19)
    }
  }
  expect(gateway.errors()).toBe('')
})
