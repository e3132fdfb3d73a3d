import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CommandArgs } from './command.ts'
import { defaultDataDirectory } from './data-directory.ts'
import { findDataDirectory, findGateway } from './gateway-connection.ts'
import { writeGatewayFile } from './gateway-file.ts'
import type { Io } from './io.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-connection-')))
const bare = join(root, 'bare')
const started = join(root, 'started')
const configured = join(root, 'configured')
const url = 'http://127.0.0.1:9'

beforeAll(async () => {
  for (const directory of [bare, join(started, '.sluice'), join(configured, '.sluice')])
    mkdirSync(directory, { recursive: true })
  writeFileSync(join(configured, 'sluice.config.json'), '{"data":"kept"}')
  await writeGatewayFile(join(started, '.sluice'), { url, pid: process.pid, startedAt: 1, tls: false })
  writeFileSync(join(started, '.sluice', 'local.key'), 'local\n')
})
afterAll(() => rmSync(root, { recursive: true }))

const args = (values: CommandArgs['values'] = {}): CommandArgs => ({ positionals: [], values })
const io = (env: Io['env'] = {}): Io => ({ ...process, env })

describe('findDataDirectory()', () => {
  test.each([
    { cwd: started, values: { data: 'a' }, env: { SLUICE_DATA: 'b' }, expected: join(started, 'a') },
    { cwd: started, values: {}, env: { SLUICE_DATA: 'b' }, expected: join(started, 'b') },
    { cwd: configured, values: {}, env: {}, expected: join(configured, 'kept') },
    {
      cwd: bare,
      values: {},
      env: { SLUICE_CONFIG: join(configured, 'sluice.config.json') },
      expected: join(configured, 'kept'),
    },
    { cwd: started, values: {}, env: {}, expected: join(started, '.sluice') },
    { cwd: bare, values: {}, env: {}, expected: defaultDataDirectory({}, process.platform, homedir()) },
  ])('answers $expected for $values and $env', async ({ cwd, values, env, expected }) => {
    expect(await findDataDirectory(args(values), io(env), cwd)).toBe(expected)
  })
})

describe('findGateway()', () => {
  test('finds the gateway of a directory and its local key, which a token replaces', async () => {
    expect(await findGateway(args(), io(), started)).toEqual({ url, token: 'local' })
    expect(await findGateway(args(), io({ SLUICE_TOKEN: 't' }), started)).toEqual({ url, token: 't' })
    expect(await findGateway(args({ token: 'u' }), io({ SLUICE_TOKEN: 't' }), started)).toEqual({
      url,
      token: 'u',
    })
  })

  test('never sends the local key to a gateway that was named', async () => {
    const named = 'https://gateway.example.org/'
    expect(await findGateway(args({ gateway: named }), io(), started)).toEqual({
      url: named,
      token: undefined,
    })
    expect(await findGateway(args(), io({ SLUICE_GATEWAY: named }), started)).toMatchObject({ url: named })
  })

  test('says when no gateway runs', async () => {
    await expect(findGateway(args({ data: 'x' }), io(), bare)).rejects.toMatchObject({
      code: 'gateway_unreachable',
    })
  })
})
