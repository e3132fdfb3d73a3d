import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock, SluiceError } from '@sluice/protocol'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { hashApiKey, mintApiKey } from './api-key.ts'
import type { Authenticator } from './authenticator.ts'
import { actions, type Caller, type SessionTarget } from './caller.ts'
import { addKey, revokeKey } from './key-file.ts'
import { openAuthenticator } from './open-authenticator.ts'

const root = mkdtempSync(join(tmpdir(), 'sluice-auth-'))
afterAll(() => rmSync(root, { recursive: true }))

const dayMs = 86_400_000
let nowMs = 0
let data = ''
let keyPath = ''
let authenticator: Authenticator
let localKey = ''
const clock: Clock = { now: () => nowMs, after: () => ({ clear: () => {} }) }

async function open(): Promise<void> {
  const onProblem = (error: SluiceError): never => {
    throw error
  }
  ;({ authenticator, localKey } = await openAuthenticator({ auth: { jwt: [] }, data }, { clock, onProblem }))
}

beforeEach(async () => {
  nowMs = Date.UTC(2026, 0, 1)
  data = mkdtempSync(join(root, 'data-'))
  keyPath = join(data, 'keys.json')
  await open()
})

const session = (fields: Partial<SessionTarget> = {}): SessionTarget => ({
  id: 'sess_a',
  labels: {},
  ...fields,
})
const bearer = (key: string) => ({ authorization: `Bearer ${key}`, isLoopback: false })
const reaches = (caller: Caller, target = session()) => actions.filter((action) => caller.can(action, target))
const refused = (code = 'unauthenticated') => expect.objectContaining({ code })
const cookieOf = (setCookie: string): string => setCookie.split(';')[0] ?? ''

function makeKey(fields: { grants?: string[]; expiresAt?: number; agent?: string } = {}) {
  return addKey(keyPath, {
    subject: 'ada',
    grants: ['subscribe:*', 'publish:own'],
    createdAt: nowMs,
    ...fields,
  })
}

describe('without a credential', () => {
  test('everyone on loopback reads and publishes, and does nothing else', async () => {
    const caller = await authenticator.authenticate({ isLoopback: true })
    expect(caller).toMatchObject({ subject: 'anonymous', via: 'anonymous', expiresAt: undefined })
    expect(reaches(caller)).toEqual(['publish', 'subscribe'])
    expect(actions.filter((action) => caller.canSome(action))).toEqual(['publish', 'subscribe'])
    expect(caller.canCreate(session())).toBe(true)
  })

  test('nobody enters from elsewhere', async () => {
    await expect(authenticator.authenticate({ isLoopback: false })).rejects.toEqual(refused())
    await expect(authenticator.authenticate({ protocols: ['sluice.v1'], isLoopback: false })).rejects.toEqual(
      refused(),
    )
  })
})

describe('an API key', () => {
  test('gives its subject, agent, expiry and grants', async () => {
    const { key } = makeKey({ agent: 'demo', expiresAt: nowMs + dayMs })
    const caller = await authenticator.authenticate(bearer(key))
    expect(caller).toMatchObject({ subject: 'ada', via: 'key', agent: 'demo', expiresAt: nowMs + dayMs })
    expect(reaches(caller)).toEqual(['subscribe'])
    expect(reaches(caller, session({ owner: 'ada' }))).toEqual(['publish', 'subscribe'])
    expect(caller.readsDialect).toBeUndefined()
  })

  test('is taken from a subprotocol of a WebSocket', async () => {
    const { key } = makeKey()
    const offered = `bearer.${Buffer.from(key).toString('base64url')}`
    const caller = await authenticator.authenticate({ protocols: ['sluice.v1', offered], isLoopback: false })
    expect(caller.subject).toBe('ada')
    await expect(
      authenticator.authenticate({ protocols: ['sluice.v1', 'bearer.'], isLoopback: true }),
    ).rejects.toEqual(refused())
  })

  test.each(['Basic YTpi', 'Bearer', 'Bearer ', 'Bearer a b', 'sluice_x', '', `Bearer ${mintApiKey().key}`])(
    'is not %j, on loopback either',
    async (authorization) => {
      for (const isLoopback of [true, false])
        await expect(authenticator.authenticate({ authorization, isLoopback })).rejects.toEqual(refused())
    },
  )

  test('of another secret with the same id is refused', async () => {
    const { id } = makeKey()
    await expect(authenticator.authenticate(bearer(mintApiKey(id).key))).rejects.toEqual(refused())
    await expect(authenticator.authenticate(bearer(mintApiKey('local').key))).rejects.toEqual(refused())
  })

  test('ends when it expires', async () => {
    const { key } = makeKey({ expiresAt: nowMs + 1000 })
    const caller = await authenticator.authenticate(bearer(key))
    nowMs += 999
    expect(authenticator.isCurrent(caller)).toBe(true)
    nowMs += 1
    await expect(authenticator.authenticate(bearer(key))).rejects.toEqual(refused('token_expired'))
    expect(authenticator.isCurrent(caller)).toBe(false)
  })

  test('that was revoked stops working at once, with its cookies, tickets and open connections', async () => {
    const { id, key } = makeKey()
    const other = makeKey()
    const caller = await authenticator.authenticate(bearer(key))
    const bystander = await authenticator.authenticate(bearer(other.key))
    const cookie = cookieOf(await authenticator.issueCookie(caller, { secure: false }))
    const { ticket } = await authenticator.issueTicket(caller, { session: 'sess_a' })
    const reader = await authenticator.authenticate({ ticket, isLoopback: false })
    expect(authenticator.isCurrent(reader)).toBe(true)
    revokeKey(keyPath, id)
    for (const credentials of [bearer(key), { cookie, isLoopback: false }, { ticket, isLoopback: false }])
      await expect(authenticator.authenticate(credentials)).rejects.toEqual(refused())
    expect([caller, reader, bystander].map(authenticator.isCurrent)).toEqual([false, false, true])
  })
})

describe('the local key', () => {
  test('has all grants and the subject local', async () => {
    const caller = await authenticator.authenticate(bearer(localKey))
    expect(caller).toMatchObject({ subject: 'local', via: 'key', expiresAt: undefined })
    expect(reaches(caller, session({ owner: 'somebody' }))).toEqual(actions)
    expect(authenticator.isCurrent(caller)).toBe(true)
  })
})

describe('a cookie', () => {
  test.each([
    [false, /^sluice=[\w-]+\.[\w-]+; Path=\/; Max-Age=3600; HttpOnly; SameSite=Strict$/],
    [true, /^__Host-sluice=[\w-]+\.[\w-]+; Path=\/; Max-Age=3600; HttpOnly; SameSite=Strict; Secure$/],
  ])('with secure=%s stands for the credential until that expires', async (secure, form) => {
    const { key } = makeKey({ expiresAt: nowMs + 3_600_000, agent: 'demo' })
    const parent = await authenticator.authenticate(bearer(key))
    const header = await authenticator.issueCookie(parent, { secure })
    expect(header).toMatch(form)
    const credentials = { cookie: `theme=dark; ${cookieOf(header)}; x=y`, isLoopback: false }
    const caller = await authenticator.authenticate(credentials)
    expect(caller).toMatchObject({
      subject: 'ada',
      via: 'cookie',
      agent: 'demo',
      expiresAt: parent.expiresAt,
    })
    expect(reaches(caller, session({ owner: 'ada' }))).toEqual(['publish', 'subscribe'])
    nowMs += 3_600_000
    await expect(authenticator.authenticate(credentials)).rejects.toEqual(refused('token_expired'))
    expect((await authenticator.authenticate({ ...credentials, isLoopback: true })).via).toBe('anonymous')
  })

  test('that is renewed by itself ends no later', async () => {
    const parent = await authenticator.authenticate(bearer(localKey))
    const cookie = cookieOf(await authenticator.issueCookie(parent, { secure: false }))
    const caller = await authenticator.authenticate({ cookie, isLoopback: true })
    expect(caller.expiresAt).toBe(nowMs + 30 * dayMs)
    nowMs += 10 * dayMs
    const again = cookieOf(await authenticator.issueCookie(caller, { secure: false }))
    expect(await authenticator.authenticate({ cookie: again, isLoopback: true })).toMatchObject({
      subject: 'local',
      expiresAt: caller.expiresAt,
    })
  })

  test('that was set over http does not do where one over https is expected, nor the other way round', async () => {
    const parent = await authenticator.authenticate(bearer(localKey))
    const plain = cookieOf(await authenticator.issueCookie(parent, { secure: false }))
    const secure = cookieOf(await authenticator.issueCookie(parent, { secure: true }))
    for (const cookie of [`__Host-${plain}`, secure.replace('__Host-', '')])
      await expect(authenticator.authenticate({ cookie, isLoopback: false })).rejects.toEqual(refused())
  })

  test('that was set over https is taken before another one', async () => {
    const [ada, local] = await Promise.all(
      [makeKey().key, localKey].map((key) => authenticator.authenticate(bearer(key))),
    )
    if (ada === undefined || local === undefined) throw new Error('both were let in')
    const plain = cookieOf(await authenticator.issueCookie(local, { secure: false }))
    const secure = cookieOf(await authenticator.issueCookie(ada, { secure: true }))
    const caller = await authenticator.authenticate({ cookie: `${plain}; ${secure}`, isLoopback: false })
    expect(caller.subject).toBe('ada')
  })

  test('of a key does not stand for another key that was given the same id', async () => {
    const { key } = makeKey()
    const parent = await authenticator.authenticate(bearer(key))
    const cookie = cookieOf(await authenticator.issueCookie(parent, { secure: false }))
    const text = readFileSync(keyPath, 'utf8')
    writeFileSync(keyPath, text.replace(hashApiKey(key), hashApiKey('another')))
    await expect(authenticator.authenticate({ cookie, isLoopback: false })).rejects.toEqual(refused())
  })

  test('of another gateway is no credential: on loopback its browser is anonymous', async () => {
    const cookie = 'sluice=abc.def'
    expect((await authenticator.authenticate({ cookie, isLoopback: true })).via).toBe('anonymous')
    await expect(authenticator.authenticate({ cookie, isLoopback: false })).rejects.toEqual(refused())
  })

  test('gives way to a credential that was sent on purpose', async () => {
    const { key } = makeKey()
    const parent = await authenticator.authenticate(bearer(localKey))
    const cookie = cookieOf(await authenticator.issueCookie(parent, { secure: false }))
    expect((await authenticator.authenticate({ ...bearer(key), cookie })).subject).toBe('ada')
    await expect(authenticator.authenticate({ ...bearer('wrong'), cookie })).rejects.toEqual(refused())
    await expect(authenticator.authenticate({ cookie, ticket: 'wrong', isLoopback: true })).rejects.toEqual(
      refused(),
    )
  })

  test('is removed by an empty one of the same name', () => {
    expect(authenticator.clearCookie({ secure: false })).toBe(
      'sluice=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
    )
    expect(authenticator.clearCookie({ secure: true })).toMatch(/^__Host-sluice=; .*; Secure$/)
  })

  test('of a key whose grants were changed has the new ones', async () => {
    const { key } = makeKey({ grants: ['*:*'] })
    const parent = await authenticator.authenticate(bearer(key))
    const cookie = cookieOf(await authenticator.issueCookie(parent, { secure: false }))
    writeFileSync(keyPath, readFileSync(keyPath, 'utf8').replace('*:*', 'subscribe:*'))
    expect(reaches(await authenticator.authenticate({ cookie, isLoopback: false }))).toEqual(['subscribe'])
    expect(authenticator.isCurrent(parent)).toBe(false)
  })
})

describe('a ticket', () => {
  test('reads its session and does nothing else, also across a restart', async () => {
    const { key } = makeKey({ grants: ['*:*'], expiresAt: nowMs + 5000 })
    const parent = await authenticator.authenticate(bearer(key))
    const { ticket, expiresAt } = await authenticator.issueTicket(parent, {
      session: 'sess_a',
      dialect: 'aaep',
    })
    expect(expiresAt).toBe(nowMs + 5000)
    await open()
    const caller = await authenticator.authenticate({ ticket, isLoopback: false })
    expect(caller).toMatchObject({ subject: 'ada', via: 'ticket', readsDialect: 'aaep', expiresAt })
    expect(reaches(caller)).toEqual(['subscribe'])
    expect(reaches(caller, session({ id: 'sess_b' }))).toEqual([])
    expect(caller.canCreate(session())).toBe(false)
    expect(actions.filter((action) => caller.canSome(action))).toEqual(['subscribe'])
    nowMs += 5000
    await expect(authenticator.authenticate({ ticket, isLoopback: false })).rejects.toEqual(
      refused('token_expired'),
    )
  })

  test('of a credential without expiry is good for a day', async () => {
    const parent = await authenticator.authenticate(bearer(localKey))
    const { ticket, expiresAt } = await authenticator.issueTicket(parent, { session: 'sess_a' })
    expect(expiresAt).toBe(nowMs + dayMs)
    expect((await authenticator.authenticate({ ticket, isLoopback: false })).readsDialect).toBeUndefined()
  })

  test('reads no longer than its key reads', async () => {
    const { key } = makeKey({ grants: ['subscribe:own'] })
    const parent = await authenticator.authenticate(bearer(key))
    const { ticket } = await authenticator.issueTicket(parent, { session: 'sess_a' })
    const caller = await authenticator.authenticate({ ticket, isLoopback: false })
    expect(caller.can('subscribe', session({ owner: 'ada' }))).toBe(true)
    expect(caller.can('subscribe', session({ owner: 'eve' }))).toBe(false)
  })

  test('gives neither tickets nor cookies', async () => {
    const parent = await authenticator.authenticate(bearer(localKey))
    const { ticket } = await authenticator.issueTicket(parent, { session: 'sess_a' })
    const caller = await authenticator.authenticate({ ticket, isLoopback: false })
    await expect(authenticator.issueTicket(caller, { session: 'sess_b' })).rejects.toEqual(
      refused('forbidden'),
    )
    await expect(authenticator.issueCookie(caller, { secure: true })).rejects.toEqual(refused('forbidden'))
  })

  test('is not taken as a cookie or a bearer token, nor a cookie as a ticket', async () => {
    const parent = await authenticator.authenticate(bearer(localKey))
    const { ticket } = await authenticator.issueTicket(parent, { session: 'sess_a' })
    const cookie = cookieOf(await authenticator.issueCookie(parent, { secure: false })).replace('sluice=', '')
    for (const credentials of [
      { cookie: `sluice=${ticket}`, isLoopback: false },
      { ticket: cookie, isLoopback: false },
      bearer(ticket),
      bearer(cookie),
    ])
      await expect(authenticator.authenticate(credentials)).rejects.toEqual(refused())
  })

  test('of an anonymous caller reads on loopback alone', async () => {
    const parent = await authenticator.authenticate({ isLoopback: true })
    const { ticket } = await authenticator.issueTicket(parent, { session: 'sess_a' })
    const caller = await authenticator.authenticate({ ticket, isLoopback: true })
    expect(reaches(caller)).toEqual(['subscribe'])
    expect(reaches(caller, session({ id: 'sess_b' }))).toEqual([])
    await expect(authenticator.authenticate({ ticket, isLoopback: false })).rejects.toEqual(refused())
  })

  test('is not given to a caller who was not let in here', async () => {
    const parent = { ...(await authenticator.authenticate(bearer(localKey))) }
    await expect(authenticator.issueTicket(parent, { session: 'sess_a' })).rejects.toEqual(
      refused('forbidden'),
    )
    expect(authenticator.isCurrent(parent)).toBe(false)
  })
})

test('without a data directory everything works until the process ends', async () => {
  const opened = await openAuthenticator({ auth: { jwt: [] } }, { clock, onProblem: () => {} })
  const caller = await opened.authenticator.authenticate(bearer(opened.localKey))
  expect(caller.subject).toBe('local')
  const { ticket } = await opened.authenticator.issueTicket(caller, { session: 'sess_a' })
  expect((await opened.authenticator.authenticate({ ticket, isLoopback: false })).subject).toBe('local')
})
