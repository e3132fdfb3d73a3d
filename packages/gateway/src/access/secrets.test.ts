import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { createSystemClock, SluiceError } from '@sluice/protocol'
import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { keyIdOf } from './api-key.ts'
import { ensureLocalKey } from './local-key.ts'
import { createPrivateFile } from './private-file.ts'
import { createSecretStore, openSecretStore, rotateSecrets } from './secrets.ts'
import { type Claims, createTokenSigner } from './signed-token.ts'

const runs = (base: number): number => base * Number(process.env['SLUICE_ROUNDS'] ?? 1)
const root = mkdtempSync(join(tmpdir(), 'sluice-secrets-'))
let data = ''
let count = 0
beforeEach(() => {
  data = join(root, String(count++))
})
afterAll(() => rmSync(root, { recursive: true }))

const claims: Claims = { subject: 'ada', expiresAt: 1, by: 'jwt', session: 'sess_a' }
const parts = { clock: createSystemClock(), onProblem: () => {} }

describe('the secrets of a data directory', () => {
  test('are made once, can be read by their owner only, and stay', () => {
    const first = openSecretStore(data, parts).read()
    expect(openSecretStore(data, parts).read()).toEqual(first)
    expect(statSync(join(data, 'secrets.json')).mode & 0o777).toBe(0o600)
    expect(readdirSync(data)).toEqual(['secrets.json'])
  })

  test('are refused when others may read them', () => {
    openSecretStore(data, parts)
    chmodSync(join(data, 'secrets.json'), 0o640)
    expect(() => openSecretStore(data, parts)).toThrow(expect.objectContaining({ code: 'bad_config' }))
  })

  test('are refused when they are damaged, without showing them', () => {
    createPrivateFile(join(data, 'secrets.json'), '{"version":1,"current":"short"}')
    expect(() => openSecretStore(data, parts)).toThrow(/secrets\.json: \/current(?!.*short)/)
  })

  test('rotate under a running gateway, and the one before stays valid until the next rotation', () => {
    const signer = createTokenSigner(openSecretStore(data, parts))
    const token = signer.sign('ticket', claims)
    rotateSecrets(data)
    expect(signer.read('ticket', token)).toEqual(claims)
    expect(signer.sign('ticket', claims)).not.toBe(token)
    rotateSecrets(data)
    expect(signer.read('ticket', token)).toBeUndefined()
  })

  test('are kept while the file is gone or bad', () => {
    const problems: SluiceError[] = []
    const store = openSecretStore(data, { ...parts, onProblem: (error) => problems.push(error) })
    const before = store.read()
    writeFileSync(join(data, 'secrets.json'), '{}')
    expect(store.read()).toEqual(before)
    expect(problems).toHaveLength(1)
    rmSync(join(data, 'secrets.json'))
    expect(store.read()).toEqual(before)
  })
})

test('a private file is made once by many that try at the same time', async () => {
  const path = join(data, 'deep', 'raced')
  const built = fileURLToPath(new URL('../../dist/access/private-file.js', import.meta.url))
  const gate = new Int32Array(new SharedArrayBuffer(4))
  const code = `
    const { workerData: { built, gate, path, name }, parentPort } = require('node:worker_threads')
    import(built).then(({ createPrivateFile, readPrivateFile }) => {
      parentPort.postMessage('ready')
      Atomics.wait(gate, 0, 0)
      createPrivateFile(path, name.repeat(10_000))
      parentPort.postMessage(readPrivateFile(path))
    })`
  const workers = ['a', 'b', 'c', 'd'].map(
    (name) =>
      new Worker(code, { eval: true, execArgv: [], env: {}, workerData: { built, gate, path, name } }),
  )
  await Promise.all(workers.map((worker) => once(worker, 'message')))
  const seen = workers.map((worker) => once(worker, 'message'))
  Atomics.store(gate, 0, 1)
  Atomics.notify(gate, 0)
  const texts = new Set((await Promise.all(seen)).flat())
  expect([...texts]).toEqual([readFileSync(path, 'utf8')])
  expect(readdirSync(join(data, 'deep'))).toEqual(['raced'])
})

describe('the local key', () => {
  test('is made once, is named local, and can be read by its owner only', () => {
    const key = ensureLocalKey(data)
    expect(keyIdOf(key)).toBe('local')
    expect(ensureLocalKey(data)).toBe(key)
    expect(statSync(join(data, 'local.key')).mode & 0o777).toBe(0o600)
  })

  test('is refused when others may read it or it is no key', () => {
    ensureLocalKey(data)
    const path = join(data, 'local.key')
    chmodSync(path, 0o604)
    expect(() => ensureLocalKey(data)).toThrow('chmod 600')
    chmodSync(path, 0o600)
    writeFileSync(path, 'sluice_other_key')
    expect(() => ensureLocalKey(data)).toThrow(expect.any(SluiceError))
  })
})

describe('a signed token', () => {
  const signer = createTokenSigner(createSecretStore())

  test('says what was signed, for its purpose only, and to nobody else', () => {
    const token = signer.sign('ticket', claims)
    expect(signer.read('ticket', token)).toEqual(claims)
    expect(signer.read('login', token)).toBeUndefined()
    expect(createTokenSigner(createSecretStore()).read('ticket', token)).toBeUndefined()
  })

  test('holds no other spelling of itself', () => {
    const token = signer.sign('ticket', claims)
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.integer({ min: 0x20, max: 0x7e }), (at, code) => {
        const char = String.fromCharCode(code)
        fc.pre(char !== token[at])
        const changed = token.slice(0, at) + char + token.slice(at + 1)
        expect(signer.read('ticket', changed)).toBeUndefined()
      }),
      { numRuns: runs(3000) },
    )
    for (const changed of [`${token}=`, `${token}.`, ` ${token}`, token.slice(0, -1), `.${token}`])
      expect(signer.read('ticket', changed)).toBeUndefined()
  })

  test('is not any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        expect(signer.read('ticket', text)).toBeUndefined()
      }),
      { numRuns: runs(500) },
    )
    expect(signer.read('ticket', 'a.'.repeat(100_000))).toBeUndefined()
  })
})
