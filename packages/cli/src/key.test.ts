import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSigningKeys } from '@sluice/gateway'
import { createSystemClock } from '@sluice/protocol'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { callSluice } from './testing/call-sluice.ts'

const root = mkdtempSync(join(tmpdir(), 'sluice-key-'))
let data = ''
let path = ''
beforeEach(() => {
  data = mkdtempSync(join(root, 'data-'))
  path = join(data, 'aaep-keys.json')
})
afterAll(() => rmSync(root, { recursive: true }))

const key = (...args: string[]) => callSluice(['key', ...args, '--data', data])
const idOf = ({ stdout }: { readonly stdout: string }): string => stdout.trim()

describe('sluice key', () => {
  test('create makes a key with which a running gateway signs at once, until remove', async () => {
    const keys = openSigningKeys(data, { clock: createSystemClock(), onProblem: () => {} })
    const made = await key('create')
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(keys.activeKid()).toBe(idOf(made))
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(await key('remove', idOf(made))).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(keys.activeKid()).toBeUndefined()
  })

  test('rotate lets the next key sign and keeps the one before published', async () => {
    const first = idOf(await key('create'))
    const next = idOf(await key('create'))
    expect(idOf(await key('rotate'))).toBe(next)
    const fresh = idOf(await key('rotate'))
    const { stdout } = await key('list')
    expect(stdout).toMatch(/^ID +STATE +CREATED +RETIRED\n/)
    const rows = stdout.trim().split('\n').slice(1)
    expect(rows.map((row) => row.split(/ +/).slice(0, 2))).toEqual([
      [first, 'retired'],
      [next, 'retired'],
      [fresh, 'active'],
    ])
    const published = JSON.parse((await key('show-jwks')).stdout)
    expect(published.keys.map(({ kid }: { kid: string }) => kid)).toEqual([first, next, fresh])
  })

  test('shows no private part', async () => {
    await key('create')
    const [{ d }] = JSON.parse(readFileSync(path, 'utf8')).keys
    const { stdout: json } = await key('list', '--json')
    expect(JSON.parse(json)).toMatchObject({ state: 'active' })
    for (const stdout of [json, (await key('list')).stdout, (await key('show-jwks')).stdout])
      expect(stdout).not.toContain(d)
  })

  test('list of nothing makes no file', async () => {
    expect((await key('list')).stdout).toBe('There are no keys; the manifest is not signed.\n')
    expect(JSON.parse((await key('show-jwks')).stdout)).toEqual({ keys: [] })
    expect(existsSync(path)).toBe(false)
  })

  test.each([
    { args: [], says: 'one of create, list, rotate, remove, show-jwks' },
    { args: ['rotat'], says: 'Did you mean: sluice key rotate' },
    { args: ['create', 'a'], says: 'options only' },
    { args: ['remove'], says: 'one ID' },
    { args: ['remove', 'nosuchkey'], says: 'no key with this id' },
  ])('answers $args with a hint and exit code 2', async ({ args, says }) => {
    const { code, stdout, stderr } = await key(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(says)
  })

  test('refuses a third key, and a bad file with its place, and leaves both as they are', async () => {
    await key('create')
    await key('create')
    const before = readFileSync(path, 'utf8')
    expect(await key('create')).toMatchObject({ code: 2, stdout: '' })
    expect(readFileSync(path, 'utf8')).toBe(before)
    writeFileSync(path, '{"version":1,"keys":[{}]}')
    for (const args of [['list'], ['create'], ['rotate'], ['remove', 'a'], ['show-jwks']]) {
      const { code, stderr } = await key(...args)
      expect(code).toBe(2)
      expect(stderr).toContain('/keys/0')
    }
    expect(readFileSync(path, 'utf8')).toBe('{"version":1,"keys":[{}]}')
  })
})
