import { encodeOutline, type OutlinePage, omitUndefined } from '@sluice/protocol'
import { afterEach, describe, expect, test } from 'vitest'
import { createClient } from './client.ts'
import { answerJson, type Peer, type PeerHandler, startPeer } from './testing/peer.ts'

let peer: Peer | undefined
afterEach(() => peer?.close())

async function connect(handle: PeerHandler, token?: string) {
  peer = await startPeer(handle)
  const options = { url: peer.url, random: () => 0, ...omitUndefined({ token }) }
  return { client: createClient(options), peer }
}

const addresses = ({ requests }: Peer) =>
  requests.map(({ method, url }) => `${method} ${url.pathname}${url.search}`)

describe('outline()', () => {
  const page: OutlinePage = {
    rows: [
      { seq: 8, at: 5, direction: 'event', kinds: ['text-delta'], characters: 3, findings: 0, delayMs: 2 },
      {
        seq: 9,
        at: 6,
        direction: 'event',
        kinds: ['tool-result'],
        characters: 0,
        findings: 1,
        level: 'error',
        calls: [{ call: 'c', tool: 'search', status: 'error' }],
      },
    ],
    next: 9,
    head: 20,
  }

  test('gives the rows of a page', async () => {
    const { client, peer } = await connect((_, response) => answerJson(response, encodeOutline(page)))
    expect(await client.outline('sess_a', { after: 7, limit: 2 })).toEqual(page)
    await client.outline('a/b')
    expect(addresses(peer)).toEqual([
      'GET /v1/sessions/sess_a/outline?after=7&limit=2',
      'GET /v1/sessions/a%2Fb/outline',
    ])
  })

  test('takes an answer that is none for no answer', async () => {
    const { client } = await connect((_, response) => answerJson(response, { hello: 'from a proxy' }))
    await expect(client.outline('sess_a')).rejects.toMatchObject({ code: 'gateway_unreachable' })
  })
})

test('entry() and entryIn() read one entry', async () => {
  const told = { dialect: 'aaep', frames: [{ cursor: '3', frame: {} }], lost: ['tool-call.args'] }
  const { client, peer } = await connect(({ url }, response) =>
    answerJson(response, url.search === '' ? { seq: 3 } : told),
  )
  expect(await client.entry('sess_a', 3)).toEqual({ seq: 3 })
  expect(await client.entryIn('sess_a', 3, { dialect: 'aaep' })).toEqual(told)
  expect(addresses(peer)).toEqual([
    'GET /v1/sessions/sess_a/entries/3',
    'GET /v1/sessions/sess_a/entries/3?dialect=aaep',
  ])
})

test('questions() and dialects() give what the gateway lists', async () => {
  const question = { token: 'q', question: 'confirmation', text: 'Go?', openedAt: 1, seq: 0 }
  const { client, peer } = await connect(({ url }, response) =>
    answerJson(
      response,
      url.pathname.endsWith('questions')
        ? { questions: [question] }
        : { dialects: [{ id: 'aaep', title: 'AAEP' }] },
    ),
  )
  expect(await client.questions('sess_a')).toEqual([question])
  expect(await client.dialects()).toEqual([{ id: 'aaep', title: 'AAEP' }])
  expect(addresses(peer)).toEqual(['GET /v1/sessions/sess_a/questions', 'GET /v1/dialects'])
})

describe('access', () => {
  test('login() brings its token in the body and answers another, logout() ends it', async () => {
    const login = { token: 'sluice-login_x', expiresAt: 1 }
    const { client, peer } = await connect((request, response) =>
      request.method === 'POST' ? answerJson(response, login) : response.writeHead(204).end(),
    )
    expect(await client.login('secret')).toEqual(login)
    await client.logout()
    expect(addresses(peer)).toEqual(['POST /v1/login', 'DELETE /v1/login'])
    expect(peer.requests[0]?.body).toBe('{"token":"secret"}')
    expect(peer.requests[0]?.headers.authorization).toBeUndefined()
  })

  test('login() rejects with what the gateway says of the token', async () => {
    const { client } = await connect((_, response) =>
      answerJson(response, { code: 'unauthenticated' }, { status: 401 }),
    )
    await expect(client.login('wrong')).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('whoAmI() tells for whom the gateway takes the client', async () => {
    const caller = { subject: 'ada', via: 'key', actions: ['subscribe'] }
    const { client, peer } = await connect((_, response) => answerJson(response, caller), 'secret')
    expect(await client.whoAmI()).toEqual(caller)
    expect(peer.requests[0]?.headers.authorization).toBe('Bearer secret')
  })
})
