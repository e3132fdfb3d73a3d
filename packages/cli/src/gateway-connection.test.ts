import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CommandArgs } from './command.ts'
import { defaultDataDirectory } from './data-directory.ts'
import { findDataDirectory, findGateway } from './gateway-connection.ts'
import { writeGatewayFile } from './gateway-file.ts'
import { guardIo } from './guard-terminal.ts'
import type { Io } from './io.ts'
import { fingerprint, rememberTrusted } from './trust/trusted-folders.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-connection-')))
const bare = join(root, 'bare')
const started = join(root, 'started')
const configured = join(root, 'configured')
const url = 'http://127.0.0.1:9'
const place = { url, pid: process.pid, startedAt: 1, tls: false }
const config = '{"data":"kept"}'
const home = { XDG_CONFIG_HOME: join(root, 'home') }

beforeAll(async () => {
  for (const directory of [bare, join(started, '.sluice'), join(configured, '.sluice')])
    mkdirSync(directory, { recursive: true })
  writeFileSync(join(configured, 'sluice.config.json'), config)
  await writeGatewayFile(join(started, '.sluice'), place, 'local')
  writeFileSync(join(started, '.sluice', 'local.key'), 'local\n', { mode: 0o600 })
  await rememberTrusted(home, configured, { config: fingerprint(config) })
  await rememberTrusted(home, started, { data: fingerprint('local') })
})
afterAll(() => rmSync(root, { recursive: true }))

const args = (values: CommandArgs['values'] = {}): CommandArgs => ({ positionals: [], values })

/** Streams of which the errors can be read. */
function openIo(env: Io['env'] = {}): { readonly io: Io; errors(): string } {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const io = guardIo({ stdin, stdout, stderr, env: { ...home, ...env } })
  return { io, errors: () => String(stderr.read() ?? '') }
}
const ioOf = (env: Io['env'] = {}): Io => openIo(env).io

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
    expect(await findDataDirectory(args(values), ioOf(env), cwd)).toBe(expected)
  })
})

describe('findGateway()', () => {
  test('finds the gateway of a directory, and uses the key of that directory alone', async () => {
    expect(await findGateway(args(), ioOf(), started)).toEqual({ url, token: 'local' })
    const { io, errors } = openIo({ SLUICE_TOKEN: 'slk_of_another_gateway' })
    expect(await findGateway(args(), io, started)).toEqual({ url, token: 'local' })
    const said = errors()
    expect(said).toMatch(/^sluice: SLUICE_TOKEN is not sent to http:\/\/127\.0\.0\.1:9: .* --gateway http:/)
    expect(said).not.toContain('slk_of_another_gateway')
    const data = join(started, '.sluice')
    expect(await findGateway(args({ data }), ioOf({ SLUICE_TOKEN: 't' }), bare)).toEqual({
      url,
      token: 'local',
    })
  })

  test('sends a token to the gateway that is named with it, and the local key to none that is', async () => {
    const named = 'https://gateway.example.org/'
    const find = (values: CommandArgs['values'], env: Io['env'] = {}) =>
      findGateway(args(values), ioOf(env), started)
    expect(await find({ gateway: named })).toEqual({ url: named, token: undefined })
    expect(await find({}, { SLUICE_GATEWAY: named, SLUICE_TOKEN: 't' })).toEqual({ url: named, token: 't' })
    expect(await find({ gateway: named, token: 'u' }, { SLUICE_TOKEN: 't' })).toEqual({
      url: named,
      token: 'u',
    })
    await expect(find({ token: 'u' })).rejects.toMatchObject({ code: 'usage' })
    await expect(find({ gateway: 'http://a:b@127.0.0.1/' })).rejects.toMatchObject({ code: 'usage' })
  })

  test.each([
    ['without a seal', place],
    ['with the seal of another key', { ...place, mac: 'QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE' }],
  ])('takes an address %s for none, and says so', async (_, planted) => {
    const data = join(root, 'planted')
    mkdirSync(data, { recursive: true })
    writeFileSync(join(data, 'local.key'), 'local\n', { mode: 0o600 })
    writeFileSync(join(data, 'gateway.json'), JSON.stringify(planted), { mode: 0o600 })
    const { io, errors } = openIo()
    await expect(findGateway(args({ data }), io, bare)).rejects.toMatchObject({ code: 'gateway_unreachable' })
    expect(errors()).toMatch(/^sluice: Ignoring the gateway\.json of \S+: it was not written by .*\.\n$/)
  })

  test('says when no gateway runs', async () => {
    await expect(findGateway(args({ data: 'x' }), ioOf(), bare)).rejects.toMatchObject({
      code: 'gateway_unreachable',
    })
  })

  test.skipIf(process.platform === 'win32')(
    'uses neither an address that others may write nor a key that is a link',
    async () => {
      const data = join(root, 'odd')
      mkdirSync(data)
      await writeGatewayFile(data, place, 'local')
      symlinkSync(join(started, '.sluice', 'local.key'), join(data, 'local.key'))
      const find = () => findGateway(args({ data }), ioOf(), bare)
      await expect(find()).rejects.toMatchObject({ message: expect.stringContaining('is a link') })
      chmodSync(join(data, 'gateway.json'), 0o666)
      await expect(find()).rejects.toMatchObject({ message: expect.stringContaining('Others may write') })
    },
  )
})
