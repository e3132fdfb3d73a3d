import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { defaultDataDirectory, startDirectoryIn } from './data-directory.ts'
import { isSealedWith, readGatewayFile, removeGatewayFile, writeGatewayFile } from './gateway-file.ts'

const directory = mkdtempSync(join(tmpdir(), 'sluice-data-'))
afterAll(() => rmSync(directory, { recursive: true }))

test.each([
  { platform: 'linux', env: {}, expected: '/u/.local/state/sluice' },
  { platform: 'linux', env: { XDG_STATE_HOME: '/s' }, expected: '/s/sluice' },
  { platform: 'linux', env: { XDG_STATE_HOME: 's' }, expected: '/u/.local/state/sluice' },
  { platform: 'darwin', env: { XDG_STATE_HOME: '/s' }, expected: '/u/Library/Application Support/sluice' },
  { platform: 'win32', env: { LOCALAPPDATA: 'C:\\L' }, expected: 'C:\\L\\sluice' },
] as const)('data is kept in $expected on $platform with $env', ({ platform, env, expected }) => {
  expect(defaultDataDirectory(env, platform, '/u')).toBe(expected)
})

test('the directory of npm start is found when it is there', () => {
  expect(startDirectoryIn(directory)).toBeUndefined()
})

const content = { url: 'http://127.0.0.1:1', pid: process.pid, startedAt: 1, tls: false }

test('a gateway tells where it is for as long as its process lives, and its user alone', async () => {
  expect(await readGatewayFile(directory)).toBeUndefined()
  await writeGatewayFile(directory, content, 'key')
  expect(await readGatewayFile(directory)).toEqual({ ...content, mac: expect.any(String) })
  if (process.platform !== 'win32') expect(statSync(join(directory, 'gateway.json')).mode & 0o777).toBe(0o600)
  removeGatewayFile(directory)
  removeGatewayFile(directory)
  expect(await readGatewayFile(directory)).toBeUndefined()
  await writeGatewayFile(directory, { ...content, pid: 2 ** 30 }, 'key')
  expect(await readGatewayFile(directory)).toBeUndefined()
})

test('only the key with which a gateway.json was written seals it, and only as it was written', async () => {
  await writeGatewayFile(directory, content, 'key')
  const written = (await readGatewayFile(directory)) ?? { ...content, mac: '' }
  expect(isSealedWith('key', written)).toBe(true)
  expect(isSealedWith('other', written)).toBe(false)
  for (const change of [
    { url: 'http://127.0.0.1:2' },
    { pid: 1 },
    { startedAt: 2 },
    { tls: true },
    { mac: '' },
    { mac: written.mac.slice(1) },
    { mac: `x${written.mac.slice(1)}` },
  ])
    expect(isSealedWith('key', { ...written, ...change })).toBe(false)
})

test.each(['', '{', '[]', 'null', '{"url":1,"pid":1,"startedAt":1,"tls":false}'])(
  'a gateway.json that holds %j is as none',
  async (text) => {
    writeFileSync(join(directory, 'gateway.json'), text)
    expect(await readGatewayFile(directory)).toBeUndefined()
  },
)
