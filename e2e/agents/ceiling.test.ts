import type { JsonObject } from '@sluice/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { print } from '../../packages/agents/src/testing/cli-script.ts'
import { type AgentGateway, startAgentGateway } from './agent-gateway.ts'
import { nativeScripts } from './native-scripts.ts'
import { readEnd } from './read-session.ts'

const sandbox = { 'agent_api.exec.external_sandbox.v1': true }
const resume = (id: string): JsonObject => ({ 'agent_api.session.resume.v1': { selector: 'id', id } })

describe('an agent that is configured to deny', () => {
  let gateway: AgentGateway
  beforeAll(async () => {
    gateway = await startAgentGateway(
      Object.fromEntries(
        nativeScripts.flatMap(({ type, begin, text, success }) => {
          const steps = print(begin('go'), text('Done.'), success)
          const config = { permissions: 'deny' }
          const opted = { ...config, requestsMayRaisePermissions: true }
          return [
            [type, { type, steps, config }],
            ...(type === 'aider' ? [] : [[`trusting-${type}`, { type, steps, config: opted }]]),
          ]
        }),
      ),
    )
  })
  afterAll(() => gateway.remove())

  const ask = (agent: string, extensions: JsonObject) =>
    gateway.client.agents.run(agent, { prompt: 'go', extensions })

  test.each([
    ['claude_code', sandbox],
    ['codex', sandbox],
    ['codex', { 'backend.codex.exec.sandbox_mode': 'danger-full-access' }],
    ['codex', { 'agent_api.exec.non_interactive': false }],
    ['claude_code', resume('somebody-elses')],
    ['codex', resume('somebody-elses')],
    ['gemini_cli', resume('somebody-elses')],
    ['opencode', resume('somebody-elses')],
    ['claude_code', { 'agent_api.session.resume.v1': { selector: 'last' } }],
  ])(
    'starts no program when %s is asked for %j, unless its configuration opts in',
    async (agent, extensions) => {
      const [key = ''] = Object.keys(extensions)
      const before = gateway.program(agent).call()?.pid
      await expect(ask(agent, extensions)).rejects.toMatchObject({
        code: 'run_not_permitted',
        details: { path: `/extensions/${key}`, setting: 'requestsMayRaisePermissions' },
      })
      expect(gateway.program(agent).call()?.pid).toBe(before)
      const { id } = await ask(`trusting-${agent}`, extensions)
      await readEnd(gateway.url, id)
    },
  )

  test('takes the protections away where the configuration lets a request do so', async () => {
    const { id } = await ask('trusting-claude_code', sandbox)
    expect(await readEnd(gateway.url, id)).toMatchObject({ outcome: 'completed' })
    expect(gateway.program('trusting-claude_code').call()?.args).toContain(
      '--permission-mode=bypassPermissions',
    )
  })

  test.each(
    nativeScripts.flatMap(({ type, session }) => (session === undefined ? [] : [[type, session] as const])),
  )('lets %s go on from the session that a run of it has recorded', async (agent, session) => {
    const first = await ask(agent, {})
    await readEnd(gateway.url, first.id)
    const second = await ask(agent, resume(session.id))
    expect(await readEnd(gateway.url, second.id)).toMatchObject({ outcome: 'completed' })
    expect(gateway.program(agent).call()?.args.join(' ')).toContain(session.args.join(' '))
  })
})
