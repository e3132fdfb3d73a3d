import { omitUndefined } from '@sluice/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { print } from '../../packages/agents/src/testing/cli-script.ts'
import { type AgentGateway, startAgentGateway } from './agent-gateway.ts'
import { nativeScripts } from './native-scripts.ts'
import { readEnd } from './read-session.ts'

describe('a second run in the context of a first', () => {
  let gateway: AgentGateway
  beforeAll(async () => {
    gateway = await startAgentGateway(
      Object.fromEntries(
        nativeScripts.map(({ type, begin, text, success }) => [
          type,
          { type, steps: print(begin('go'), text('Done.'), success), config: { permissions: 'deny' } },
        ]),
      ),
    )
  })
  afterAll(() => gateway.remove())

  /** Runs an agent to its end; returns the arguments of its program, and the context. */
  async function run(agent: string, context?: string) {
    const begun = await gateway.client.agents.run(agent, {
      prompt: 'go',
      ...omitUndefined({ context }),
    })
    expect(await readEnd(gateway.url, begun.id)).toMatchObject({ outcome: 'completed' })
    return { args: gateway.program(agent).call()?.args ?? [], context: begun.context ?? '' }
  }

  const going = nativeScripts.flatMap(({ type, session }) =>
    session === undefined ? [] : [[type, session] as const],
  )
  test.each(going)('of %s goes on with its own session', async (agent, session) => {
    const first = await run(agent)
    expect(first.args.join(' ')).not.toContain(session.id)
    expect((await run(agent, first.context)).args.join(' ')).toContain(session.args.join(' '))
    // Another conversation is kept separate.
    expect((await run(agent)).args).toEqual(first.args)
  })

  test('of an agent that cannot go on is refused, and nothing is started', async () => {
    const { context } = await run('aider')
    const { pid } = gateway.program('aider').call() ?? {}
    await expect(gateway.client.agents.run('aider', { prompt: 'go', context })).rejects.toMatchObject({
      code: 'invalid_run',
    })
    expect(gateway.program('aider').call()?.pid).toBe(pid)
  })
})
