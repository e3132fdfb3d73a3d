import { rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { test } from 'vitest'
import { createCliHome } from '../../../../e2e/real-cli/cli-home.ts'
import { startModelStub } from '../../../../e2e/real-cli/model-stub.ts'
import { playRun } from '../testing/play-run.ts'
import { createAcpAgent } from './index.ts'

const bin = `${homedir()}/.cache/sluice/real-cli`
test.each([
  [
    'gemini',
    [`${bin}/gemini-cli/node_modules/.bin/gemini`, '--acp'],
    { tool: 'run_shell_command', args: { command: 'echo hi' } },
  ],
  [
    'opencode',
    [`${bin}/opencode/node_modules/.bin/opencode`, 'acp'],
    { tool: 'bash', args: { command: 'echo hi', description: 'says hi' } },
  ],
] as const)('%s', async (cli, command, call) => {
  const log = `/tmp/acp-probe/${cli}.log`
  rmSync(log, { force: true })
  const stub = await startModelStub([
    { say: { thought: 'Hm.', text: 'I look.', calls: [call] } as never },
    { say: { text: 'Done.' } },
  ])
  const home = createCliHome(cli, stub.url)
  const agent = createAcpAgent({
    kind: 'acp',
    command: ['node', '/tmp/acp-probe/tee.mjs', log, ...command],
    defaults: { cwd: home.work, env: home.env },
    permissions: 'ask',
    askTimeoutMs: 60000,
    timings: { idleMs: 30000 },
  })
  const t0 = Date.now()
  const { events, completion } = await playRun(agent, { prompt: 'Use a tool.' }, (output, run) => {
    if (output.type === 'events')
      for (const e of output.events)
        if (e.kind === 'question-open') run.answer({ token: e.token, how: 'answered', decision: 'accept' })
  })
  for (const e of events) console.log(JSON.stringify(e))
  console.log(completion, Date.now() - t0, stub.strange)
  const session = 'handle' in completion ? completion.handle : undefined
  if (session !== undefined) {
    const again = await playRun(agent, {
      prompt: 'Go on.',
      extensions: { 'agent_api.session.resume.v1': { selector: 'id', id: session } },
    })
    for (const e of again.events) console.log(JSON.stringify(e))
    console.log(again.completion)
    for (const selector of [{ selector: 'last' }, { selector: 'id', id: 'nonsense' }]) {
      const last = await playRun(agent, {
        prompt: 'Go on.',
        extensions: { 'agent_api.session.resume.v1': selector },
      })
      console.log(JSON.stringify(selector), last.completion, JSON.stringify(last.events))
    }
  }
  await stub.close()
  home.remove()
})
