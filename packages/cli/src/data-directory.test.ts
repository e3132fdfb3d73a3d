import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { defaultDataDirectory, startDirectoryIn } from './data-directory.ts'
import { readGatewayFile, removeGatewayFile, writeGatewayFile } from './gateway-file.ts'

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

test('a gateway tells where it is for as long as its process lives, and its user alone', async () => {
  const content = { url: 'http://127.0.0.1:1', pid: process.pid, startedAt: 1, tls: false }
  expect(await readGatewayFile(directory)).toBeUndefined()
  await writeGatewayFile(directory, content)
  expect(await readGatewayFile(directory)).toEqual(content)
  if (process.platform !== 'win32') expect(statSync(join(directory, 'gateway.json')).mode & 0o777).toBe(0o600)
  removeGatewayFile(directory)
  removeGatewayFile(directory)
  expect(await readGatewayFile(directory)).toBeUndefined()
  await writeGatewayFile(directory, { ...content, pid: 2 ** 30 })
  expect(await readGatewayFile(directory)).toBeUndefined()
})

test.each(['', '{', '[]', 'null', '{"url":1,"pid":1,"startedAt":1,"tls":false}'])(
  'a gateway.json that holds %j is as none',
  async (text) => {
    writeFileSync(join(directory, 'gateway.json'), text)
    expect(await readGatewayFile(directory)).toBeUndefined()
  },
)
