import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type JsonValue, SluiceError } from '@sluice/protocol'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultConfig } from './config.ts'
import type { ConfigSources } from './layers.ts'
import { loadConfig } from './load-config.ts'
import { configSchema } from './published-schema.ts'
import { settings } from './settings.ts'

let cwd = ''
const file = (): string => join(cwd, 'sluice.config.json')

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'sluice-config-'))
})
afterAll(() => rm(cwd, { recursive: true }))

async function load(content: JsonValue | undefined, sources: Omit<ConfigSources, 'cwd'> = {}) {
  await rm(file(), { force: true })
  if (content !== undefined) await writeFile(file(), JSON.stringify(content))
  return loadConfig({ ...sources, cwd })
}

async function refusal(loading: Promise<unknown>): Promise<SluiceError> {
  const error = await loading.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(SluiceError)
  expect((error as SluiceError).code).toBe('bad_config')
  return error as SluiceError
}

describe('loadConfig()', () => {
  test('answers the defaults when nothing is said', async () => {
    expect(await load(undefined)).toEqual(defaultConfig)
    expect(await load({})).toEqual(defaultConfig)
  })

  test('takes flags over variables over the file over the defaults, setting by setting', async () => {
    const config = await load(
      { host: 'file', port: 1, logLevel: 'warn', limits: { connections: 5 } },
      {
        env: { SLUICE_HOST: 'variable', SLUICE_PORT: '2', PATH: 'x' },
        flags: { host: 'flag', port: undefined },
      },
    )
    expect(config).toEqual({
      ...defaultConfig,
      host: 'flag',
      port: 2,
      logLevel: 'warn',
      limits: { ...defaultConfig.limits, connections: 5 },
    })
  })

  test('reads durations and sizes as numbers or with a unit, from every source', async () => {
    const config = await load(
      { drainMs: '30s', heartbeatMs: 5000, limits: { ringsBytes: '1GiB' }, retention: { maxAgeMs: '90d' } },
      { env: { SLUICE_LIMITS_BODY_BYTES: '2MiB' }, flags: { 'limits-event-bytes': '1024' } },
    )
    expect(config).toMatchObject({
      drainMs: 30_000,
      heartbeatMs: 5000,
      limits: { ringsBytes: 2 ** 30, bodyBytes: 2 ** 21, eventBytes: 1024 },
      retention: { maxAgeMs: 90 * 86_400_000 },
    })
  })

  test('reads lists from variables: texts by commas, objects as JSON', async () => {
    const issuer = { issuer: 'a', audience: 'b', algorithm: 'ES256', key: '/k.pem' }
    const config = await load(undefined, {
      env: { SLUICE_HOSTS: 'a.example, b.example,', SLUICE_AUTH_JWT: JSON.stringify([issuer]) },
    })
    expect(config).toMatchObject({ hosts: ['a.example', 'b.example'], auth: { jwt: [issuer] } })
  })

  test('starts relative paths in the folder of the file, or in the working directory', async () => {
    const inner = join(cwd, 'etc.json')
    const jwt = [{ issuer: 'a', audience: 'b', algorithm: 'ES256', key: 'issuer.pem' }]
    await writeFile(
      inner,
      JSON.stringify({ tls: { cert: 'c.pem', key: '/k.pem' }, auth: { keys: 'keys.json', jwt } }),
    )
    const config = await loadConfig({ file: inner, flags: { data: 'd' }, cwd: '/elsewhere' })
    expect(config).toMatchObject({
      data: '/elsewhere/d',
      tls: { cert: join(cwd, 'c.pem'), key: '/k.pem' },
      auth: { keys: join(cwd, 'keys.json'), jwt: [{ key: join(cwd, 'issuer.pem') }] },
    })
  })

  test('lets a file name its schema, and ignores variables that are not for it', async () => {
    const env = {
      SLUICE_TOKEN: 'x',
      SLUICE_ROUNDS: '3',
      SLUICE_SERVICE_HOST: '10.0.0.1',
      SLUICE_PORT: 'tcp://10.0.0.1:4747',
      SLUICE_PORT_4747_TCP_ADDR: '10.0.0.1',
      SLUICE_METRICS_SERVICE_PORT: '80',
    }
    expect(await load({ $schema: 'http://127.0.0.1:4747/schemas/config.json' }, { env })).toEqual(
      defaultConfig,
    )
  })
})

describe('bad_config names the key, what was expected and where it came from', () => {
  test.each<{
    file?: JsonValue
    env?: Record<string, string>
    flags?: Record<string, string>
    says: string[]
  }>([
    { file: { prot: 1 }, says: ['sluice.config.json: /prot is no key', 'Did you mean /port?'] },
    {
      file: { limits: { eventbyte: 1 } },
      says: ['/limits/eventbyte is no key', 'Did you mean /limits/eventBytes?'],
    },
    { file: { zzzzzzzz: 1 }, says: ['/zzzzzzzz is no key', 'The keys here are host, port'] },
    { file: { port: '80' }, says: ['/port must be a whole number from 0 to 65535'] },
    { file: { port: 65_536 }, says: ['/port must be a whole number from 0 to 65535'] },
    { file: { limits: 3 }, says: ['/limits must be an object with eventBytes, '] },
    { file: { limits: null }, says: ['/limits must be an object'] },
    { file: { hosts: 'a' }, says: ['/hosts must be a list'] },
    { file: { hosts: [1] }, says: ['/hosts/0 must be a text'] },
    {
      file: { origins: ['app.example.org'] },
      says: ['/origins/0 must be a text of the form', 'https://app'],
    },
    { file: { drainMs: '30 parsecs' }, says: ['/drainMs must be a duration such as 30s'] },
    { file: { minFreeBytes: -1 }, says: ['/minFreeBytes must be a size such as 64MiB', 'at least 0'] },
    { file: { limits: { sliceBytes: '1B' } }, says: ['/limits/sliceBytes must be a size', 'at least 1024'] },
    { file: { logLevel: 'loud' }, says: ['/logLevel must be one of trace, debug'] },
    {
      file: { auth: { jwt: [{}] } },
      says: ['/auth/jwt/0/issuer is missing', '/auth/jwt/0/algorithm is missing'],
    },
    {
      file: { auth: { jwt: [{ issuer: 'a', audience: 'b', algorithm: 'none', kye: 'k' }] } },
      says: [
        '/auth/jwt/0/algorithm must be one of RS256',
        '/auth/jwt/0/kye',
        'Did you mean /auth/jwt/0/key?',
      ],
    },
    {
      file: { auth: { jwt: [{ issuer: 'a', audience: 'b', algorithm: 'ES256' }] } },
      says: ['/auth/jwt/0 needs either jwks or key'],
    },
    {
      file: { auth: { jwt: [{ issuer: 'a', audience: 'b', algorithm: 'ES256', jwks: 'http://a' }] } },
      says: ['/auth/jwt/0/jwks must be an https address'],
    },
    { file: { auth: { anonymous: 'no' } }, says: ['/auth/anonymous must be true or false'] },
    {
      file: { host: '0.0.0.0', auth: { anonymous: true } },
      says: ['/auth/anonymous must not be true unless /host is an address of loopback'],
    },
    { file: { tls: { cert: 'a' } }, says: ['sluice.config.json: /tls/key is missing beside /tls/cert'] },
    { flags: { 'tls-key': 'a' }, says: ['the flag --tls-key (/tls/cert) is missing beside /tls/key'] },
    { file: { ['__proto__']: 1, constructor: 2 }, says: ['/constructor is no key'] },
    { file: [], says: ['the file must hold one JSON object'] },
    {
      env: { SLUICE_PROT: '1' },
      says: ['the variable SLUICE_PROT sets nothing', 'Did you mean SLUICE_PORT?'],
    },
    { env: { SLUICE_PORT: 'http' }, says: ['the variable SLUICE_PORT (/port) must be a whole number'] },
    { env: { SLUICE_AUTH_JWT: '{' }, says: ['the variable SLUICE_AUTH_JWT (/auth/jwt) must be a list'] },
    { flags: { port: 'x' }, says: ['the flag --port (/port) must be a whole number'] },
    { flags: { prot: '1' }, says: ['the flag --prot sets nothing', 'Did you mean --port?'] },
    {
      env: { SLUICE_LIMITS_BODY_BYTES: '1KiB' },
      file: { limits: { connections: 3 } },
      says: [
        'the variable SLUICE_LIMITS_BODY_BYTES (/limits/eventBytes) must not be larger than /limits/bodyBytes',
      ],
    },
    { file: { limits: { ringBytes: '1GiB' } }, says: ['/limits/ringBytes must not be larger than'] },
  ])('$says', async ({ file: content, env = {}, flags = {}, says }) => {
    const { message } = await refusal(load(content, { env, flags }))
    for (const part of says) expect(message).toContain(part)
  })

  test('also of files that are no JSON, hold a key twice, or are not there', async () => {
    await writeFile(file(), '{\n  "port": 1,\n  "port" 2}')
    expect((await refusal(loadConfig({ cwd }))).message).toMatch(
      /the file is not valid JSON \(line 3, column 1\d\)/,
    )
    await writeFile(file(), '{"limits":{"connections":1,"connections":2}}')
    expect((await refusal(loadConfig({ cwd }))).message).toContain('/limits/connections occurs twice')
    expect((await refusal(loadConfig({ cwd, file: 'none.json' }))).message).toContain(
      'There is no configuration file',
    )
    expect((await refusal(loadConfig({ cwd: '/', file: cwd }))).message).toContain('cannot be read (EISDIR)')
  })

  test('for every place at once', async () => {
    const { message, details } = await refusal(
      load({ port: 'a', host: 1 }, { env: { SLUICE_DRAIN_MS: 'x' } }),
    )
    expect(message.split('\n')).toHaveLength(4)
    expect(details).toEqual({ key: '/port', source: `file ${file()}` })
  })
})

test('any file is either loaded or refused, and never throws anything else', async () => {
  const names = fc.constantFrom(
    'limits',
    'auth',
    'jwt',
    'tls',
    'port',
    'eventBytes',
    'drainMs',
    'hosts',
    'key',
  )
  const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<JsonValue>(0, 1, -1, '', '30s', '1MiB', null, true),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(names, tie('tree'), { maxKeys: 3 }),
    ),
  }))
  const isValid = new Ajv2020({ strict: false }).compile(configSchema)
  await fc.assert(
    fc.asyncProperty(tree, async (content) => {
      const error = await load(content).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      if (error !== undefined) expect(error).toMatchObject({ code: 'bad_config' })
      else expect(isValid(content)).toBe(true)
    }),
  )
})

describe('the published schema', () => {
  const isValid = new Ajv2020({ strict: false }).compile(configSchema)

  test('takes the defaults, files in part, and amounts with units', () => {
    expect(isValid(JSON.parse(JSON.stringify(defaultConfig)))).toBe(true)
    expect(isValid({ $schema: 'x', limits: { eventBytes: '64 KiB' }, drainMs: '1.5m' })).toBe(true)
  })

  test('refuses what loading refuses', () => {
    for (const bad of [{ prot: 1 }, { tls: { cert: 'a' } }, { drainMs: 'soon' }, { limits: { x: 1 } }])
      expect(isValid(bad)).toBe(false)
  })

  test('describes every setting and says its default', () => {
    for (const { path, schema } of settings) {
      expect(schema.description).toMatch(/\.$/)
      const field = path.reduce<unknown>(
        (at, name) => (at as { properties: Record<string, unknown> }).properties[name],
        configSchema,
      )
      const value = path.reduce<unknown>(
        (at, name) => (at as Record<string, unknown> | undefined)?.[name],
        defaultConfig,
      )
      expect((field as { default?: unknown }).default).toEqual(value)
    }
  })

  test('gives each setting a flag and a variable of its own', () => {
    expect(new Set(settings.map(({ flag }) => flag)).size).toBe(settings.length)
    expect(new Set(settings.map(({ variable }) => variable)).size).toBe(settings.length)
    expect(settings.find(({ pointer }) => pointer === '/limits/eventBytes')).toMatchObject({
      flag: 'limits-event-bytes',
      variable: 'SLUICE_LIMITS_EVENT_BYTES',
    })
  })
})
