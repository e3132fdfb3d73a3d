import { existsSync, rmSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callSluice } from './testing/call-sluice.ts'
import { createDataDirectory, type GatewayProcess, startGateway } from './testing/start-gateway.ts'

let root = ''
let removeRoot: () => Promise<void>
let gateway: GatewayProcess
const data = (): string => join(root, 'data')
const log = (...args: readonly string[]) => callSluice(['log', ...args, '--data', data()])

beforeAll(async () => {
  const [directory, remove] = await createDataDirectory()
  root = directory
  removeRoot = remove
  gateway = await startGateway(data())
  await callSluice(['publish', 'sess_evoraweekend', 'examples/recording.aaep.ndjson', '--data', data()])
  const chunk = '{"type":"answer_chunk","data":{"text":"Hi"}}\n'
  await callSluice(['publish', 'sess_open', '--dialect', 'stream-event', '--data', data()], chunk)
})
afterAll(async () => {
  await gateway.end('SIGKILL')
  await removeRoot()
})

describe('sluice log, while the gateway runs', () => {
  test('counts', async () => {
    const { code, stdout } = await log('stat', '--json')
    expect(code).toBe(0)
    const stat = JSON.parse(stdout) as Record<string, unknown>
    expect(stat).toMatchObject({ data: data(), sessions: 2, endedSessions: 1, records: 26 })
    expect((await log('stat')).stdout).toMatch(/sessions +2, 1 of them ended\nentries +26, [\d.]+ KiB\n/)
  })

  test('verifies without a finding', async () => {
    expect(await log('verify')).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('exports what convert reads and tail shows', async () => {
    const { code, stdout } = await log('export', 'sess_evoraweekend')
    expect(code).toBe(0)
    const tail = await callSluice(['tail', 'sess_evoraweekend', '--data', data()])
    expect(stdout).toBe(tail.stdout)
    expect(await callSluice(['validate', '--dialect', 'sluice', '-'], stdout)).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
    const all = (await log('export')).stdout.trim().split('\n')
    expect(all).toHaveLength(26)
    const unknown = await log('export', 'sess_none')
    expect({ code: unknown.code, stdout: unknown.stdout }).toEqual({ code: 4, stdout: '' })
  })

  test('backs up, and a gateway runs on what was restored', async () => {
    const copy = join(root, 'backup')
    expect(await log('backup', copy)).toEqual({ code: 0, stdout: '', stderr: '' })
    const restored = join(root, 'restored')
    expect((await callSluice(['log', 'restore', copy, '--data', restored])).code).toBe(0)
    const second = await startGateway(restored)
    try {
      const read = ['tail', 'sess_evoraweekend', '--dialect', 'aaep', '--data']
      expect((await callSluice([...read, restored])).stdout).toBe(
        (await callSluice([...read, data()])).stdout,
      )
    } finally {
      await second.end('SIGTERM')
    }
    const again = await callSluice(['log', 'restore', copy, '--data', restored])
    expect(again.code).not.toBe(0)
    expect(again.stderr).toContain('not empty')
  })

  test('does not compact', async () => {
    const { code, stderr } = await log('compact')
    expect(code).toBe(5)
    expect(stderr).toContain('data directory')
  })
})

test.each([
  { args: [], says: 'Usage: sluice log stat' },
  { args: ['stats'], says: 'Did you mean: sluice log stat' },
  { args: ['backup'], says: 'Usage: sluice log stat' },
  { args: ['stat', 'more'], says: 'See: sluice log --help' },
])('sluice log $args is wrong usage', async ({ args, says }) => {
  const { code, stdout, stderr } = await log(...args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(says)
})

test('sluice log says when a directory holds no log', async () => {
  const { code, stderr } = await callSluice(['log', 'stat', '--data', join(root, 'nothing')])
  expect(code).toBe(2)
  expect(stderr).toContain('There is no log')
  expect(existsSync(join(root, 'nothing'))).toBe(false)
})

describe('sluice log, after the gateway', () => {
  test('compacts', async () => {
    expect(await gateway.end('SIGTERM')).toBe(0)
    const { code, stdout } = await log('compact')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^[\d.]+ \w+ before, [\d.]+ \w+ after\n$/)
    expect((await log('verify')).code).toBe(0)
    gateway = await startGateway(data())
  })

  test('tells damage, exports the rest, repairs it, and a gateway goes on', async () => {
    const copy = join(root, 'damaged')
    await log('backup', copy)
    await corrupt(join(copy, 'log.mdb'), '{"type":"answer_chunk","data":{"text":"Hi"}}')
    const run = (...args: readonly string[]) => callSluice(['log', ...args, '--data', copy])
    const before = await run('verify')
    expect(before.code).toBe(1)
    expect(before.stdout).toMatch(/^sess_open:0 .*cannot be read/)
    const damaged = await startGateway(copy)
    try {
      for (const path of ['entries/0', 'outline', 'events?live=false']) {
        const answer = await fetch(`${damaged.url}/v1/sessions/sess_open/${path}`)
        expect({ path, status: answer.status }).toEqual({ path, status: 500 })
        expect(await answer.json()).toMatchObject({ code: 'damaged_data', session: 'sess_open', seq: 0 })
      }
    } finally {
      await damaged.end('SIGTERM')
    }
    const exported = await run('export')
    expect(exported.code).toBe(1)
    expect(exported.stdout.trim().split('\n')).toHaveLength(25)
    expect(exported.stderr).toMatch(/^sess_open:0 entries cannot be read \(\d+ bytes\)\n$/)
    const repaired = await run('repair')
    expect(repaired.code).toBe(1)
    expect(repaired.stdout).toBe(exported.stderr)
    expect(repaired.stderr).toContain('damaged-1')
    const after = await run('verify')
    expect(after.code).toBe(0)
    expect(after.stdout).toContain('lost before an earlier repair')
    expect((await run('repair')).stderr).toContain('not damaged')
    const again = await startGateway(copy)
    const chunk = '{"type":"answer_chunk","data":{"text":"there"}}\n'
    const published = await callSluice(
      ['publish', 'sess_open', '--dialect', 'stream-event', '--data', copy],
      chunk,
    )
    expect(published.code).toBe(0)
    await again.end('SIGTERM')
    rmSync(copy, { recursive: true })
  })

  test.each([
    ['is empty', (path: string) => writeFile(path, '')],
    ['is something else', (path: string) => writeFile(path, 'x'.repeat(100_000))],
    ['is missing', (path: string) => rm(path)],
    ['has damage everywhere', corruptEverywhere],
  ])('never crashes when log.mdb %s', async (name, damage) => {
    const copy = join(root, `log that ${name}`)
    await log('backup', copy)
    await damage(join(copy, 'log.mdb'))
    const run = (...args: readonly string[]) => callSluice(['log', ...args, '--data', copy])
    for (const args of [['stat'], ['backup', join(root, 'never')], ['compact']]) {
      const { code, stderr } = await run(...args)
      expect({ args, code }).toEqual({ args, code: 5 })
      expect(stderr).toContain('sluice log repair')
    }
    const verified = await run('verify')
    expect(verified.code).toBe(1)
    expect(verified.stdout).toContain('log.mdb')
    expect((await run('export')).code).toBe(1)
    expect((await run('repair')).code).toBe(1)
    expect((await run('verify')).code).toBe(0)
    rmSync(copy, { recursive: true })
  })
})

/** Changes a byte of the first place where the file has this text. */
async function corrupt(path: string, text: string): Promise<void> {
  const bytes = await readFile(path)
  const at = bytes.indexOf(text)
  expect(at).toBeGreaterThan(0)
  bytes[at + 1] = 0x7e
  await writeFile(path, bytes)
}

/** Everything after the two meta pages. */
async function corruptEverywhere(path: string): Promise<void> {
  const bytes = await readFile(path)
  for (let at = 2 * 4096; at < bytes.length; at += 64) bytes.write('damaged!', at)
  await writeFile(path, bytes)
}
