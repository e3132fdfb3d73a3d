import { request } from 'node:http'
import { omitUndefined } from '@sluice/protocol'
import { dialects } from '@sluice/protocol/dialects'
import { expect, onTestFinished, test } from 'vitest'
import { startGatewayProcess } from '../testing/gateway-process.ts'
import { rounds } from '../testing/rounds.ts'
import { transportNames } from '../testing/transports.ts'
import { openStalled } from './stalled-reader.ts'

const scale = Math.min(rounds, 20)
const heapMiB = rounds > 1 ? 256 : 96
const session = 'sess_long'
const coalescings = [undefined, 'sentence', '40ms', 'paragraph', 'word']
const sentence = 'The quick brown fox jumps over the lazy dog. '
/** Once in each piece. */
const mark = '@@'

/** The text of a session: the same piece again and again. */
interface Shape {
  readonly piece: string
  readonly count: number
}

const large = `${mark} ${sentence.repeat(180)}`
/** In the soak 2 GB of text, and a million entries. */
const shapes: readonly (readonly [name: string, shape: Shape])[] = [
  ['of large entries', { piece: large, count: Math.ceil((100_000_000 * scale) / large.length) }],
  ['of short entries', { piece: `${mark} ${sentence}`, count: 50_000 * scale }],
]

/** Uploads the whole text as one streamed request, as fast as the gateway takes it; resolves with the receipt. */
function upload(
  url: string,
  { piece, count }: Shape,
): Promise<{ readonly accepted: number; readonly refused: readonly unknown[] }> {
  const line = `${JSON.stringify({ type: 'answer_chunk', data: { text: piece } })}\n`
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
      while (sent < count) {
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

/** Follows the session to its end, and resolves with the number of pieces it has received. */
async function countPieces(url: string, dialect: string): Promise<number> {
  const answer = await fetch(`${url}/v1/sessions/${session}/events?dialect=${dialect}`, {
    headers: { accept: 'application/x-ndjson' },
  })
  let pieces = 0
  let rest = Buffer.alloc(0)
  for await (const part of answer.body ?? []) {
    const bytes = Buffer.concat([rest, part])
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + mark.length)) pieces += 1
    rest = bytes.subarray(1 - mark.length)
  }
  return pieces
}

test.each(shapes)(
  'a session much larger than the heap is written, followed, resumed and read in every dialect: %s',
  async (_, shape) => {
    const { piece, count } = shape
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
    // All in the soak.
    const followed = rounds > 1 ? ids : ids.slice(0, 2)
    const following = followed.map((dialect) => countPieces(url, dialect))
    const receipt = await upload(url, shape)
    expect(receipt).toMatchObject({ accepted: count, refused: [] })

    const snapshot = await fetch(`${url}/v1/sessions/${session}`)
    const state = (await snapshot.json()) as {
      readonly snapshot: { readonly outputs: readonly { readonly text: string; readonly omitted: number }[] }
    }
    const [output] = state.snapshot.outputs
    expect(output?.text.endsWith(sentence)).toBe(true)
    expect((output?.omitted ?? 0) + (output?.text.length ?? 0)).toBe(count * piece.length)

    // Joining late, and again after a restart that knows nothing but the log.
    for (const round of ['live', 'restarted']) {
      if (round === 'restarted') {
        expect((await fetch(`${url}/v1/sessions/${session}/end`, { method: 'POST' })).ok).toBe(true)
        // A native entry has its text twice: as it was received, and in its event.
        expect(await Promise.all(following)).toEqual(followed.map((id) => (id === 'sluice' ? 2 : 1) * count))
        await gateway.kill()
        await gateway.restart()
      }
      for (const dialect of ids) {
        const query = `dialect=${dialect}&after=${count - 20}&live=false`
        const answer = await fetch(`${url}/v1/sessions/${session}/events?${query}`, {
          headers: { accept: 'application/x-ndjson' },
        })
        const frames = (await answer.text()).trim().split('\n')
        expect(frames.length, `${dialect}, ${round}`).toBeGreaterThanOrEqual(19)
      }
    }
    expect(gateway.errors()).toBe('')
  },
)
