import { afterEach, expect, test } from 'vitest'
import { createCliAgent } from '../cli/create-cli-agent.ts'
import { groupMembers } from '../process/group-members.ts'
import { resumeKey } from '../request/extension-keys.ts'
import { createFakeProgram, type FakeProgram } from '../testing/fake-program.ts'
import { playRun } from '../testing/play-run.ts'
import { codex } from './index.ts'

const watchdogMs = 60_000
const programs: FakeProgram[] = []
afterEach(() => {
  for (const program of programs.splice(0)) program.remove()
})

test(
  'a run in another session than it was to take up is ended at once, and tells of none',
  async () => {
    const program = createFakeProgram('codex', [
      { print: { type: 'thread.started', thread_id: '01a1e6eb-1331-76a3-ae70-73aacc35bce0' } },
      { hang: true },
    ])
    programs.push(program)
    const agent = createCliAgent(codex, {
      program: program.path,
      defaults: { cwd: program.folder, env: { PATH: process.env['PATH'] ?? '' } },
      options: { permissions: 'deny', askTimeoutMs: 1000 },
      // The run does not wait for codex to exit by itself.
      timings: { idleMs: 10 * watchdogMs, lingerMs: 10 * watchdogMs },
    })
    const extensions = { [resumeKey]: { selector: 'id', id: 'no such session' } }
    const { completion, events, process: started } = await playRun(agent, { prompt: 'go on', extensions })
    expect(completion).toMatchObject({ code: 'run_failed', message: 'session not found' })
    expect(events.map((event) => event.meta?.agent)).toEqual([undefined])
    expect(program.call()?.args.slice(-4)).toEqual(['resume', '--', 'no such session', '-'])
    expect(await groupMembers(started?.pid ?? 0)).toEqual([])
  },
  watchdogMs,
)
