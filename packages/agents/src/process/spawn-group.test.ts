import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { systemClock } from '@sluice/protocol'
import { afterEach, expect, test } from 'vitest'
import { awaitOutput } from '../testing/await-output.ts'
import type { Escalation } from './end-group.ts'
import { groupMembers } from './group-members.ts'
import { markedProcesses, markerVariable } from './marked-processes.ts'
import { type GroupCommand, type ProcessGroup, spawnGroup } from './spawn-group.ts'

const groups: ProcessGroup[] = []
afterEach(async () => {
  for (const group of groups.splice(0)) await group.end()
})

const hurried: Escalation = [{ signal: 'SIGTERM', graceMs: 200 }]

async function start(script: string, command: Partial<GroupCommand> = {}): Promise<ProcessGroup> {
  const args = ['-e', script]
  const given = { file: process.execPath, args, cwd: tmpdir(), env: {}, ...command }
  const group = await spawnGroup(given, systemClock, hurried)
  groups.push(group)
  return group
}

const stubborn = `process.on('SIGTERM', () => {}); setInterval(() => {}, 60000);`
const startChild = (options: string, script = stubborn): string =>
  `const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(
    `${script} process.stdout.write('ready')`,
  )}], { stdio: ['ignore', 'pipe', 'ignore'], ${options} }); child.stdout.once('data', () => console.log(child.pid));`

test('a program is alone in its group, in its directory, with its variables and a mark', async () => {
  const print = `console.log(JSON.stringify([process.cwd(), process.env]))`
  const group = await start(print, { env: { A: '1' } })
  const [cwd, env] = JSON.parse(await text(group.stdout))
  expect(cwd).toBe(tmpdir())
  expect(env).toMatchObject({ A: '1', [markerVariable]: group.process.marker })
  expect(Object.keys(env)).not.toContain('PATH')
  expect(await group.exited).toEqual({ code: 0, signal: null })
})

test('no shell sees its arguments', async () => {
  const group = await start(`console.log(process.argv.at(-1))`, {
    args: ['-e', `console.log(process.argv.at(-1))`, '--', '$(id) `id` ; id'],
  })
  expect(await text(group.stdout)).toBe('$(id) `id` ; id\n')
})

test('what a program printed before it was gone can be read afterwards', async () => {
  const group = await start(`process.stdout.write('x'.repeat(50000))`)
  await group.exited
  expect(await text(group.stdout)).toHaveLength(50_000)
})

test('a program that does not read its input, or reads it all, does no harm', async () => {
  const deaf = await start(`process.stdin.destroy(); setTimeout(() => {}, 100)`)
  deaf.write('x'.repeat(1_000_000))
  deaf.closeStdin()
  deaf.write('late')
  expect(await deaf.exited).toEqual({ code: 0, signal: null })
  const eager = await start(
    `require('node:stream/consumers').text(process.stdin).then((t) => console.log(t.length))`,
  )
  eager.write('é'.repeat(1_000_000))
  eager.closeStdin()
  expect(await text(eager.stdout)).toBe('1000000\n')
})

test('of standard error everything is taken, and the beginning kept', async () => {
  const group = await start(`process.stderr.write('e'.repeat(3000000), () => process.exit(2))`)
  expect(await group.exited).toEqual({ code: 2, signal: null })
  expect(group.stderr()).toBe('e'.repeat(65_536))
})

test.each<[string, Partial<GroupCommand>]>([
  ['is missing', { file: '/nowhere/program' }],
  ['is no program', { file: tmpdir() }],
  ['is to work where nothing is', { cwd: '/nowhere' }],
  ['has an argument that no system takes', { args: ['a\0b'] }],
])('a program that %s is not started', async (_, command) => {
  await expect(start('', command)).rejects.toBeInstanceOf(Error)
})

test('a program without a directory is not mistaken for a missing program', async () => {
  await expect(start('', { cwd: '/nowhere' })).rejects.not.toMatchObject({ code: 'ENOENT' })
})

test('a group ends as a whole, whatever it ignores, and as often as it is asked to', async () => {
  const group = await start(`${stubborn} ${startChild('detached: false')}`)
  const child = Number(await awaitOutput(group.stdout, '\n'))
  expect(await groupMembers(group.process.pid)).toEqual([group.process.pid, child])
  await Promise.all([group.end(), group.end()])
  expect(await group.exited).toEqual({ code: null, signal: 'SIGKILL' })
  expect(await groupMembers(group.process.pid)).toEqual([])
  await group.end()
})

test('what a program leaves behind ends with its group', async () => {
  const group = await start(
    `${startChild('detached: false')} child.stdout.once('data', () => process.exit(0))`,
  )
  const child = Number(await awaitOutput(group.stdout, '\n'))
  await group.exited
  expect(await groupMembers(group.process.pid)).toEqual([child])
  await group.end()
  expect(await groupMembers(group.process.pid)).toEqual([])
})

test.runIf(process.platform === 'linux')('what has left its group ends too', async () => {
  const group = await start(
    `${startChild('detached: true')} child.stdout.once('data', () => process.exit(0))`,
  )
  const child = Number(await awaitOutput(group.stdout, '\n'))
  await group.exited
  expect(await groupMembers(group.process.pid)).toEqual([])
  expect(await markedProcesses(group.process.marker)).toEqual([child])
  await group.end()
  expect(await markedProcesses(group.process.marker)).toEqual([])
})
