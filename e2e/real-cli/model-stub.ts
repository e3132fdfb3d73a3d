import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encodeSse, isJsonObject, type JsonObject, type JsonValue } from '@sluice/protocol'
import { anthropicMessages } from './model-apis/anthropic-messages.ts'
import { geminiGenerate } from './model-apis/gemini-generate.ts'
import type { ModelApi, ModelSaying } from './model-apis/model-api.ts'
import { openaiChat } from './model-apis/openai-chat.ts'
import { openaiResponses } from './model-apis/openai-responses.ts'

/** What the stub does with one request for an answer. */
export type ModelReply =
  | { readonly say: ModelSaying }
  /** Fails with this HTTP status. */
  | { readonly fail: number }
  /** Accepts the request and never answers. */
  | { readonly hang: true }
  /** Begins to say this and never ends. */
  | { readonly stall: ModelSaying }

/** A model on loopback that follows a script, in every API at once. */
export interface ModelStub {
  /** Has no path. */
  readonly url: string
  /** The requests so far that offer tools, in order. */
  readonly asked: readonly JsonObject[]
  /** Requested paths that the stub does not know. */
  readonly strange: readonly string[]
  close(): Promise<void>
}

const apis: readonly ModelApi[] = [anthropicMessages, openaiResponses, openaiChat, geminiGenerate]
const aside: ModelSaying = { text: 'A title' }
const atTheEnd: ModelReply = { say: { text: 'The script is over.' } }

/**
 * Starts a model that answers the nth request with the nth reply, and with a constant text after the last.
 * Requests besides an agent's task, such as for a title, offer no tools and use up no reply.
 */
export async function startModelStub(script: readonly ModelReply[]): Promise<ModelStub> {
  const asked: JsonObject[] = []
  const strange: string[] = []

  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy())
  })

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stub')
    const body = await readJson(request)
    const api = apis.find(({ matches }) => matches(pathname))
    if (request.method !== 'POST' || api === undefined) {
      strange.push(`${request.method} ${pathname}`)
      return sendJson(response, 404, { error: { message: 'unknown' } })
    }
    const isTask = Array.isArray(body['tools']) && body['tools'].length > 0
    if (isTask) asked.push(body)
    const n = asked.length
    const reply = isTask ? (script[n - 1] ?? atTheEnd) : { say: aside }
    if ('hang' in reply) return
    if ('fail' in reply) return sendJson(response, reply.fail, api.failure(reply.fail))
    const saying = 'say' in reply ? reply.say : reply.stall
    const streams =
      body['stream'] === true || pathname.includes(':stream') || searchParams.get('alt') === 'sse'
    if (!streams) return sendJson(response, 200, api.whole?.(saying, n) ?? {})
    const frames = api.stream(saying, n)
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    if ('say' in reply) response.end(frames.map((frame) => encodeSse(frame)).join(''))
    else
      response.write(
        frames
          .slice(0, Math.ceil(frames.length / 2))
          .map((frame) => encodeSse(frame))
          .join(''),
      )
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    strange,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function readJson(request: IncomingMessage): Promise<JsonObject> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer) // no encoding was set
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}

function sendJson(response: ServerResponse, status: number, body: JsonValue): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
