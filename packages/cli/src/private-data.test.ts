import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { commandNames } from './main.ts'
import { callSluice } from './testing/call-sluice.ts'
import { readUntil } from './testing/start-gateway.ts'

/** Of each command that makes something in a data directory: calls that may be the first one there. */
const makers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  serve: [],
  run: [
    ['run', 'demo', 'fast and quiet'],
    ['run', '--dialect', 'stream-event', '--', 'true'],
  ],
  doctor: [['doctor']],
  token: [
    ['token', 'create', '--subject', 'ci', '--grant', 'run:*'],
    ['token', 'rotate'],
    ['token', 'list'],
  ],
  key: [
    ['key', 'create'],
    ['key', 'rotate'],
  ],
  log: [
    ['log', 'stat'],
    ['log', 'verify'],
    ['log', 'compact'],
    ['log', 'export'],
  ],
}
/** These only talk to a gateway, or read a file. */
const others = ['publish', 'tail', 'agents', 'listen', 'aaep', 'sessions', 'console'].concat(
  ...[['convert', 'validate', 'conformance', 'schema', 'dialects']],
)

let root = ''
let umask = 0
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-private-'))
  umask = process.umask(0)
})
afterEach(() => {
  process.umask(umask)
  rmSync(root, { recursive: true, force: true })
})
const data = (): string => join(root, 'deep', 'data')

/** Every path below a directory that others may look at, and the directory itself. */
function openToOthers(path: string): readonly string[] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return []
  const below = found.isDirectory() ? readdirSync(path).flatMap((name) => openToOthers(join(path, name))) : []
  return (found.mode & 0o077) === 0 ? below : [path, ...below]
}

describe.skipIf(process.platform === 'win32')('with a umask that takes nothing away', () => {
  test('every command is known here', () => {
    expect([...Object.keys(makers), ...others].sort()).toEqual([...commandNames].sort())
  })

  test.each(Object.values(makers).flat())(
    'what "%s %s" makes first is its owner’s alone',
    async (...args) => {
      await callSluice([args[0] ?? '', '--data', data(), ...args.slice(1)])
      expect(openToOthers(join(root, 'deep'))).toEqual([])
    },
  )

  test('so is what a gateway makes, its backup, and what is restored from that', async () => {
    const launcher = fileURLToPath(new URL('../bin/sluice.js', import.meta.url))
    const gateway = spawn(
      process.execPath,
      [launcher, 'serve', '--data', data(), '--port', '0', '--log-level', 'warn'],
      { env: { PATH: process.env['PATH'] } },
    )
    try {
      await readUntil(gateway.stdout, /npx sluice sessions.*\n/)
      const line = '{"type":"answer_chunk","data":{"text":"Hi"}}\n'
      const publish = ['publish', 'sess_a', '--dialect', 'stream-event', '--data', data()]
      expect((await callSluice(publish, line)).code).toBe(0)
      expect(openToOthers(join(root, 'deep'))).toEqual([])
      const copy = join(root, 'deep', 'copy')
      expect((await callSluice(['log', 'backup', copy, '--data', data()])).code).toBe(0)
      const again = join(root, 'deep', 'again')
      expect((await callSluice(['log', 'restore', copy, '--data', again])).code).toBe(0)
      expect(openToOthers(join(root, 'deep'))).toEqual([])
    } finally {
      gateway.kill('SIGTERM')
      await once(gateway, 'exit')
    }
  })

  test('a directory that was open to others before is told of, and what is made in it is not open', async () => {
    mkdirSync(data(), { recursive: true })
    chmodSync(data(), 0o755)
    const made = await callSluice([
      'token',
      'create',
      '--subject',
      'ci',
      '--grant',
      'run:*',
      '--data',
      data(),
    ])
    expect(made.stderr).toBe(`sluice: Others may read ${data()}. To prevent that: chmod 700 ${data()}\n`)
    expect(openToOthers(data())).toEqual([data()])
    const doctor = await callSluice(['doctor', '--data', data()])
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toContain('chmod 700')
  })
})
