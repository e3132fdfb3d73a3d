import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { readStartMark, readStat } from './start-mark.ts'

const isLinux = process.platform === 'linux'

/** Starts a program with this title, which does nothing. */
async function startNamed(title: string) {
  const script = `process.title = ${JSON.stringify(title)}; setInterval(() => {}, 60000); process.stdout.write('ready')`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout, 'data')
  const end = async (): Promise<void> => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { pid: child.pid ?? 0, end }
}

test('a process has one start, and no other process has it', async () => {
  const { pid, end } = await startNamed('plain')
  const mark = await readStartMark(pid)
  expect(mark).not.toBe('')
  expect(await readStartMark(pid)).toBe(mark)
  expect(await readStartMark(process.pid)).not.toBe(mark)
  await end()
  expect(await readStartMark(pid)).toBeUndefined()
})

test.runIf(isLinux)('a process is known whatever its name is', async () => {
  const { pid, end } = await startNamed('x) Z 1 2 3')
  expect(await readStat(pid)).toEqual({
    group: (await readStat(process.pid))?.group,
    startTicks: expect.stringMatching(/^\d+$/),
  })
  await end()
})

test.runIf(isLinux)('a process that only waits to be counted is none', async () => {
  // `exec` replaces the shell with a program that does not reap its child.
  const parent = spawn('/bin/sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [line] = await once(parent.stdout, 'data')
  const pid = Number(String(line))
  while ((await readStat(pid)) !== undefined) await new Promise((resolve) => setImmediate(resolve))
  expect(() => process.kill(pid, 0)).not.toThrow()
  expect(await readStartMark(pid)).toBeUndefined()
  parent.kill('SIGKILL')
  await once(parent, 'exit')
})

test('elsewhere the system is asked by ps, which may be missing', async () => {
  const mark = await readStartMark(process.pid, 'darwin')
  expect(mark === undefined || mark.length > 10).toBe(true)
  expect(await readStartMark(2 ** 22 + 1, 'darwin')).toBeUndefined()
})
