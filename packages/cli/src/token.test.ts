import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthenticator, createSecretStore, watchKeyFile } from '@sluice/gateway'
import { createSystemClock } from '@sluice/protocol'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { callSluice } from './testing/call-sluice.ts'

const root = mkdtempSync(join(tmpdir(), 'sluice-token-'))
let data = ''
beforeEach(() => {
  data = mkdtempSync(join(root, 'data-'))
})
afterAll(() => rmSync(root, { recursive: true }))

const token = (...args: string[]) => callSluice(['token', ...args, '--data', data])
const grants = ['--grant', 'publish:own', '--grant', 'subscribe:*']
const create = (...more: string[]) => token('create', '--subject', 'ci', ...grants, ...more)
const idsIn = (stdout: string): string[] => [...stdout.matchAll(/^(\w{10}) /gm)].map(([, id = '']) => id)

describe('sluice token', () => {
  test('create prints a key that a gateway takes, until revoke', async () => {
    const made = await create('--agent', 'demo', '--expires', '30d')
    expect(made).toMatchObject({ code: 0, stderr: '' })
    const key = made.stdout.trim()
    const authenticator = createAuthenticator({
      clock: createSystemClock(),
      secrets: createSecretStore(),
      keys: watchKeyFile(join(data, 'keys.json'), { clock: createSystemClock(), onProblem: () => {} }),
    })
    const credentials = { authorization: `Bearer ${key}`, isOpen: false }
    const caller = await authenticator.authenticate(credentials)
    expect(caller).toMatchObject({ subject: 'ci', agent: 'demo', via: 'key' })
    expect(caller.expiresAt).toBeGreaterThan(Date.now() + 29 * 86_400_000)
    expect(caller.can('publish', { id: 'sess_a', owner: 'ci', labels: {} })).toBe(true)
    expect(caller.can('publish', { id: 'sess_a', owner: 'eve', labels: {} })).toBe(false)
    expect(readFileSync(join(data, 'keys.json'), 'utf8')).not.toContain(key.slice(-43))
    expect(statSync(join(data, 'keys.json')).mode & 0o777).toBe(0o600)

    const [id = ''] = idsIn((await token('list')).stdout)
    expect(await token('revoke', id)).toEqual({ code: 0, stdout: '', stderr: '' })
    await expect(authenticator.authenticate(credentials)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('list shows who holds what, also as JSON, and never a key', async () => {
    expect((await token('list')).stdout).toBe('There are no keys.\n')
    expect(existsSync(join(data, 'keys.json'))).toBe(false)
    const { stdout: key } = await create()
    const { stdout } = await token('list')
    expect(stdout).toMatch(
      /^ID +SUBJECT +AGENT +EXPIRES +GRANTS\n\w{10} +ci +never +publish:own subscribe:\*\n$/,
    )
    const json = (await token('list', '--json')).stdout
    expect(JSON.parse(json)).toMatchObject({ subject: 'ci', grants: ['publish:own', 'subscribe:*'] })
    expect(stdout + json).not.toContain(key.trim().slice(-43))
  })

  test('finds the key file that the configuration names', async () => {
    const [config, keys] = [join(data, 'config.json'), join(data, 'elsewhere.json')]
    writeFileSync(config, JSON.stringify({ auth: { keys } }))
    await create('--config', config)
    expect(existsSync(join(data, 'keys.json'))).toBe(false)
    expect(idsIn((await token('list', '--keys', keys)).stdout)).toHaveLength(1)
  })

  test('rotate changes the secret and keeps the one before', async () => {
    const path = join(data, 'secrets.json')
    await token('rotate')
    const { current } = JSON.parse(readFileSync(path, 'utf8'))
    expect(await token('rotate')).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ previous: current })
  })

  test.each([
    { args: [], says: 'one of create, list, revoke, rotate' },
    { args: ['creat'], says: 'Did you mean: sluice token create' },
    { args: ['create', '--grant', 'publish:own'], says: '--subject' },
    { args: ['create', '--subject', 'a'], says: '--grant publish:own' },
    { args: ['create', '--subject', 'a', '--grant', 'write:own'], says: 'write:own is not a grant' },
    { args: ['create', '--subject', 'a', '--grant', 'run:*', '--expires', 'soon'], says: 'such as 30d' },
    { args: ['create', '--subject', 'a', '--grant', 'run:*', '--expires', '0s'], says: 'such as 30d' },
    { args: ['create', '--subject', 'local', '--grant', 'run:*'], says: 'reserved' },
    { args: ['create', 'a'], says: 'options only' },
    { args: ['revoke'], says: 'one ID' },
    { args: ['revoke', 'a', 'b'], says: 'one ID' },
    { args: ['revoke', 'nosuchkey'], says: 'no key with this id' },
  ])('answers $args with a hint and exit code 2', async ({ args, says }) => {
    const { code, stdout, stderr } = await token(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(says)
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  test('refuses a bad file with its place and leaves it as it is', async () => {
    const path = join(data, 'keys.json')
    writeFileSync(path, '{"version":1,"keys":[{}]}')
    for (const args of [['list'], ['revoke', 'a'], ['create', '--subject', 'a', '--grant', 'run:*']]) {
      const { code, stderr } = await token(...args)
      expect(code).toBe(2)
      expect(stderr).toContain('/keys/0')
    }
    expect(readFileSync(path, 'utf8')).toBe('{"version":1,"keys":[{}]}')
  })
})
