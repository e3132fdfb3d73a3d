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
const clock: Clock = { now: () => nowMs, monotonic: () => nowMs, after: () => ({ clear: () => {} }) }

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
const bearer = (key: string) => ({ authorization: `Bearer ${key}`, isOpen: false })
const reaches = (caller: Caller, target = session()) => actions.filter((action) => caller.can(action, target))
const refused = (code = 'unauthenticated') => expect.objectContaining({ code })

function makeKey(fields: { grants?: string[]; expiresAt?: number; agent?: string } = {}) {
  return addKey(keyPath, {
    subject: 'ada',
    grants: ['subscribe:*', 'publish:own'],
    createdAt: nowMs,
    ...fields,
  })
}

describe('without a credential', () => {
  test('everyone reads and publishes where that is open, and does nothing else', async () => {
    const caller = await authenticator.authenticate({ isOpen: true })
    expect(caller).toMatchObject({ subject: 'anonymous', via: 'anonymous', expiresAt: undefined })
    expect(reaches(caller)).toEqual(['publish', 'subscribe'])
    expect(actions.filter((action) => caller.canSome(action))).toEqual(['publish', 'subscribe'])
    expect(caller.canCreate(session())).toBe(true)
  })

  test('nobody enters where it is not', async () => {
    await expect(authenticator.authenticate({ isOpen: false })).rejects.toEqual(refused())
    await expect(authenticator.authenticate({ protocols: ['sluice.v1'], isOpen: false })).rejects.toEqual(
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
    const caller = await authenticator.authenticate({ protocols: ['sluice.v1', offered], isOpen: false })
    expect(caller.subject).toBe('ada')
    await expect(
      authenticator.authenticate({ protocols: ['sluice.v1', 'bearer.'], isOpen: true }),
    ).rejects.toEqual(refused())
  })

  test.each(['Basic YTpi', 'Bearer', 'Bearer ', 'Bearer a b', 'sluice_x', '', `Bearer ${mintApiKey().key}`])(
    'is not %j, where no credential is needed either',
    async (authorization) => {
      for (const isOpen of [true, false])
        await expect(authenticator.authenticate({ authorization, isOpen })).rejects.toEqual(refused())
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

  test('that was revoked stops working at once, with its logins, tickets and open connections', async () => {
    const { id, key } = makeKey()
    const other = makeKey()
    const caller = await authenticator.authenticate(bearer(key))
    const bystander = await authenticator.authenticate(bearer(other.key))
    const login = authenticator.issueLogin(caller)
    const { ticket } = await authenticator.issueTicket(caller, { session: 'sess_a' })
    const reader = await authenticator.authenticate({ ticket, isOpen: false })
    expect(authenticator.isCurrent(reader)).toBe(true)
    revokeKey(keyPath, id)
    for (const credentials of [bearer(key), bearer(login.token), { ticket, isOpen: false }])
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

describe('a login', () => {
  const logIn = async (key: string) => authenticator.issueLogin(await authenticator.authenticate(bearer(key)))

  test('stands for a key for twelve hours', async () => {
    const { key } = makeKey({ agent: 'demo' })
    const { token, expiresAt } = await logIn(key)
    expect(expiresAt).toBe(nowMs + dayMs / 2)
    expect(token).not.toContain(key)
    const caller = await authenticator.authenticate(bearer(token))
    expect(caller).toMatchObject({ subject: 'ada', via: 'login', agent: 'demo', expiresAt })
    expect(reaches(caller, session({ owner: 'ada' }))).toEqual(['publish', 'subscribe'])
    nowMs += dayMs / 2
    expect(authenticator.isCurrent(caller)).toBe(false)
    for (const isOpen of [true, false])
      await expect(authenticator.authenticate({ ...bearer(token), isOpen })).rejects.toEqual(
        refused('token_expired'),
      )
  })

  test('ends no later than its key', async () => {
    const { key } = makeKey({ expiresAt: nowMs + 3_600_000 })
    expect((await logIn(key)).expiresAt).toBe(nowMs + 3_600_000)
  })

  test('makes no further login: a stolen one cannot be prolonged', async () => {
    const { token } = await logIn(localKey)
    const caller = await authenticator.authenticate(bearer(token))
    expect(() => authenticator.issueLogin(caller)).toThrow(refused())
    const anonymous = await authenticator.authenticate({ isOpen: true })
    expect(() => authenticator.issueLogin(anonymous)).toThrow(refused())
  })

  test('is over once it was ended, with its tickets and connections, also after a restart', async () => {
    const [ended, other] = [await logIn(localKey), await logIn(localKey)]
    const caller = await authenticator.authenticate(bearer(ended.token))
    const { ticket } = await authenticator.issueTicket(caller, { session: 'sess_a' })
    const reader = await authenticator.authenticate({ ticket, isOpen: true })
    await open()
    const again = await authenticator.authenticate(bearer(ended.token))
    authenticator.endLogin(again)
    expect(authenticator.isCurrent(again)).toBe(false)
    for (let restarts = 0; restarts < 2; restarts++) {
      for (const credentials of [bearer(ended.token), { ticket, isOpen: true }])
        await expect(authenticator.authenticate(credentials)).rejects.toEqual(refused())
      expect((await authenticator.authenticate(bearer(other.token))).subject).toBe('local')
      await open()
    }
    expect(authenticator.isCurrent(reader)).toBe(false)
  })

  test('ends without harm for one who has none', async () => {
    for (const credentials of [bearer(localKey), { isOpen: true }])
      authenticator.endLogin(await authenticator.authenticate(credentials))
    expect((await authenticator.authenticate(bearer(localKey))).subject).toBe('local')
  })

  test('of a key does not stand for another key that was given the same id', async () => {
    const { key } = makeKey()
    const { token } = await logIn(key)
    writeFileSync(keyPath, readFileSync(keyPath, 'utf8').replace(hashApiKey(key), hashApiKey('another')))
    await expect(authenticator.authenticate(bearer(token))).rejects.toEqual(refused())
  })

  test('of a key whose grants were changed has the new ones', async () => {
    const { key } = makeKey({ grants: ['*:*'] })
    const { token } = await logIn(key)
    const parent = await authenticator.authenticate(bearer(token))
    writeFileSync(keyPath, readFileSync(keyPath, 'utf8').replace('*:*', 'subscribe:*'))
    expect(reaches(await authenticator.authenticate(bearer(token)))).toEqual(['subscribe'])
    expect(authenticator.isCurrent(parent)).toBe(false)
  })

  test('is not one of another gateway, nor one that was made up', async () => {
    const { token } = await logIn(localKey)
    data = mkdtempSync(join(root, 'data-'))
    await open()
    for (const each of [token, 'sluice-login_', 'sluice-login_a.b', token.slice('sluice-login_'.length)])
      await expect(authenticator.authenticate(bearer(each))).rejects.toEqual(refused())
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
    const caller = await authenticator.authenticate({ ticket, isOpen: false })
    expect(caller).toMatchObject({ subject: 'ada', via: 'ticket', readsDialect: 'aaep', expiresAt })
    expect(reaches(caller)).toEqual(['subscribe'])
    expect(reaches(caller, session({ id: 'sess_b' }))).toEqual([])
    expect(caller.canCreate(session())).toBe(false)
    expect(actions.filter((action) => caller.canSome(action))).toEqual(['subscribe'])
    nowMs += 5000
    await expect(authenticator.authenticate({ ticket, isOpen: false })).rejects.toEqual(
      refused('token_expired'),
    )
  })

  test('of a credential without expiry is good for a day', async () => {
    const parent = await authenticator.authenticate(bearer(localKey))
    const { ticket, expiresAt } = await authenticator.issueTicket(parent, { session: 'sess_a' })
    expect(expiresAt).toBe(nowMs + dayMs)
    expect((await authenticator.authenticate({ ticket, isOpen: false })).readsDialect).toBeUndefined()
  })

  test('reads no longer than its key reads', async () => {
    const { key } = makeKey({ grants: ['subscribe:own'] })
    const parent = await authenticator.authenticate(bearer(key))
    const { ticket } = await authenticator.issueTicket(parent, { session: 'sess_a' })
    const caller = await authenticator.authenticate({ ticket, isOpen: false })
    expect(caller.can('subscribe', session({ owner: 'ada' }))).toBe(true)
    expect(caller.can('subscribe', session({ owner: 'eve' }))).toBe(false)
  })

  test('gives neither tickets nor logins', async () => {
    const parent = await authenticator.authenticate(bearer(localKey))
    const { ticket } = await authenticator.issueTicket(parent, { session: 'sess_a' })
    const caller = await authenticator.authenticate({ ticket, isOpen: false })
    await expect(authenticator.issueTicket(caller, { session: 'sess_b' })).rejects.toEqual(
      refused('forbidden'),
    )
    expect(() => authenticator.issueLogin(caller)).toThrow(refused())
  })

  test('is not taken as a login or a bearer token, nor a login as a ticket', async () => {
    const parent = await authenticator.authenticate(bearer(localKey))
    const { ticket } = await authenticator.issueTicket(parent, { session: 'sess_a' })
    const { token } = authenticator.issueLogin(parent)
    for (const credentials of [
      { ticket: token, isOpen: false },
      { ticket: token.replace('sluice-login_', ''), isOpen: false },
      bearer(ticket),
      bearer(`sluice-login_${ticket}`),
    ])
      await expect(authenticator.authenticate(credentials)).rejects.toEqual(refused())
  })

  test('of an anonymous caller reads where no credential is needed', async () => {
    const parent = await authenticator.authenticate({ isOpen: true })
    const { ticket } = await authenticator.issueTicket(parent, { session: 'sess_a' })
    const caller = await authenticator.authenticate({ ticket, isOpen: true })
    expect(reaches(caller)).toEqual(['subscribe'])
    expect(reaches(caller, session({ id: 'sess_b' }))).toEqual([])
    await expect(authenticator.authenticate({ ticket, isOpen: false })).rejects.toEqual(refused())
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
  expect((await opened.authenticator.authenticate({ ticket, isOpen: false })).subject).toBe('local')
})
