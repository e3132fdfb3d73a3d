import { tmpdir } from 'node:os'
import { type RunProcess, systemClock } from '@sluice/protocol'
import { afterEach, expect, test } from 'vitest'
import { awaitOutput } from '../testing/await-output.ts'
import type { Escalation } from './end-group.ts'
import { endLeftGroup } from './end-left-group.ts'
import { groupMembers } from './group-members.ts'
import { markedProcesses } from './marked-processes.ts'
import { type ProcessGroup, spawnGroup } from './spawn-group.ts'
import { readStartMark } from './start-mark.ts'

const groups: ProcessGroup[] = []
afterEach(async () => {
  for (const group of groups.splice(0)) await group.end()
})

const hurried: Escalation = [{ signal: 'SIGTERM', graceMs: 200 }]
const stay = `process.on('SIGTERM', () => {}); setInterval(() => {}, 60000); process.stdout.write('ready');`

/** A program, and a program that it has started, in its group or outside it. */
async function startPair(detached = false): Promise<RunProcess> {
  const script = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(stay)}],
    { stdio: 'inherit', detached: ${detached} }); setInterval(() => {}, 60000)`
  const command = { file: process.execPath, args: ['-e', script], cwd: tmpdir(), env: {} }
  const group = await spawnGroup(command, systemClock, hurried)
  groups.push(group)
  await awaitOutput(group.stdout, 'ready')
  return group.process
}

async function killLeader(pid: number): Promise<void> {
  const group = groups.find(({ process: { pid: leader } }) => leader === pid)
  process.kill(pid, 'SIGKILL')
  await group?.exited
}

const end = (left: RunProcess): Promise<boolean> => endLeftGroup(left, systemClock, hurried)

test('a run whose host is gone is ended with all that it started', async () => {
  const left = await startPair()
  expect(await groupMembers(left.pid)).toHaveLength(2)
  expect(await end(left)).toBe(true)
  expect(await groupMembers(left.pid)).toEqual([])
  expect(await end(left)).toBe(false)
})

test('what survives the first process of a run is ended', async () => {
  const left = await startPair()
  await killLeader(left.pid)
  expect(await readStartMark(left.pid)).toBeUndefined()
  expect(await groupMembers(left.pid)).toHaveLength(1)
  expect(await end(left)).toBe(true)
  expect(await groupMembers(left.pid)).toEqual([])
})

test.runIf(process.platform === 'linux')('what has left the group of a run is ended', async () => {
  const left = await startPair(true)
  await killLeader(left.pid)
  expect(await groupMembers(left.pid)).toEqual([])
  expect(await markedProcesses(left.marker)).toHaveLength(1)
  expect(await end(left)).toBe(true)
  expect(await markedProcesses(left.marker)).toEqual([])
})

test.each<[string, Partial<RunProcess>]>([
  ['began at another time', { startMark: 'boot 1', marker: 'another' }],
  ['began at a time that nobody wrote down', { startMark: '', marker: 'another' }],
])('a process with the same pid that %s is left alone', async (_, changes) => {
  const foreign = await startPair()
  expect(await end({ ...foreign, ...changes })).toBe(false)
  expect(await groupMembers(foreign.pid)).toHaveLength(2)
})

test('a group with the same number and without the mark is left alone, also without its first process', async () => {
  const foreign = await startPair()
  await killLeader(foreign.pid)
  expect(await end({ ...foreign, marker: 'another' })).toBe(false)
  expect(await groupMembers(foreign.pid)).toHaveLength(1)
})
