import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { clearSocketPath, type SocketPlace, toSocketPath } from './unix-socket-path.ts'

const place: SocketPlace = { env: {}, platform: 'linux', home: '/homes/ann', temporary: '/tmp', uid: 1000 }

describe('toSocketPath()', () => {
  test.each<[string, string, Partial<SocketPlace>, string]>([
    ['what is given', '/a/b.sock', {}, '/a/b.sock'],
    [
      'the runtime directory',
      'auto',
      { env: { XDG_RUNTIME_DIR: '/run/user/1000' } },
      '/run/user/1000/aaep/sluice.sock',
    ],
    ['the temporary one without it', 'auto', {}, '/tmp/aaep-1000/sluice.sock'],
    [
      'the temporary one where it is relative',
      'auto',
      { env: { XDG_RUNTIME_DIR: 'run' } },
      '/tmp/aaep-1000/sluice.sock',
    ],
    [
      'the library on macOS',
      'auto',
      { platform: 'darwin' },
      '/homes/ann/Library/Application Support/AAEP/sluice.sock',
    ],
  ])('takes %s', (_, setting, given, path) => {
    expect(toSocketPath(setting, { ...place, ...given })).toBe(path)
  })
})

describe('clearSocketPath()', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-path-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  test('makes the directory for its owner alone', async () => {
    await clearSocketPath(join(folder, 'a', 'b', 's.sock'))
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, 'a', 'b')).mode & 0o777).toBe(0o700)
  })

  test('removes nothing that is no socket', async () => {
    const path = join(folder, 'notes.txt')
    writeFileSync(path, 'mine')
    await expect(clearSocketPath(path)).rejects.toMatchObject({ code: 'bad_config' })
    expect(existsSync(path)).toBe(true)
  })

  test('refuses a directory in which others could take its place', async () => {
    const open = join(folder, 'open')
    mkdirSync(open)
    chmodSync(open, 0o777)
    await expect(clearSocketPath(join(open, 's.sock'))).rejects.toMatchObject({ code: 'bad_config' })
    chmodSync(open, 0o1777)
    await expect(clearSocketPath(join(open, 's.sock'))).resolves.toBeUndefined()
  })
})
