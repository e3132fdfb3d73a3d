import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { systemClock } from '@sluice/protocol'
import { afterEach, expect, test } from 'vitest'
import { awaitOutput } from '../testing/await-output.ts'
import { isGroupAlive, signalGroup } from './end-group.ts'
import { type ProcessGroup, spawnGroup } from './spawn-group.ts'

const groups: ProcessGroup[] = []
afterEach(async () => {
  for (const group of groups.splice(0)) await group.end()
})

async function start(script: string, escalation: Parameters<typeof spawnGroup>[2]) {
  const command = { file: process.execPath, args: ['-e', script], cwd: tmpdir(), env: {} }
  const group = await spawnGroup(command, systemClock, escalation)
  groups.push(group)
  await awaitOutput(group.stdout, 'ready')
  return group
}

const report = (signal: string, then = ''): string =>
  `process.on('${signal}', () => { process.stdout.write(' ${signal}'); ${then} });`
const stay = `setInterval(() => {}, 60000); process.stdout.write('ready');`

test('a group is asked by each signal in turn, then killed', async () => {
  const group = await start(report('SIGINT') + report('SIGTERM') + stay, [
    { signal: 'SIGINT', graceMs: 300 },
    { signal: 'SIGTERM', graceMs: 300 },
  ])
  await group.end()
  expect(await group.exited).toEqual({ code: null, signal: 'SIGKILL' })
  expect(await text(group.stdout)).toBe(' SIGINT SIGTERM')
})

test('a group that goes when it is asked gets no further signal, however long it might have had', async () => {
  const group = await start(report('SIGINT', 'process.exit(7)') + report('SIGTERM') + stay, [
    { signal: 'SIGINT', graceMs: 600_000 },
  ])
  await group.end()
  expect(await group.exited).toEqual({ code: 7, signal: null })
  expect(await text(group.stdout)).toBe(' SIGINT')
})

test('a group that is gone takes no signal', async () => {
  const group = await start(stay, [])
  expect(await isGroupAlive(group.process.pid)).toBe(true)
  await group.end()
  await group.exited
  expect(await isGroupAlive(group.process.pid)).toBe(false)
  expect(signalGroup(group.process.pid, 0)).toBe(false)
})
