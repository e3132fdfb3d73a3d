import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { print } from '../../packages/agents/src/testing/cli-script.ts'
import type { FakeStep } from '../../packages/agents/src/testing/fake-program.ts'
import { type AgentGateway, startAgentGateway } from './agent-gateway.ts'
import { claudeAsks, claudeScript } from './native-scripts.ts'
import { readEnd, readEvents } from './read-session.ts'

const terms = { supports_confirmation_reply: true, languages: ['en'] }
const tool = { id: 't1', input: 'rm -r build', output: 'gone', ok: true }

/** Asks, and continues when it reads this line. */
const asking = (awaited: string): readonly FakeStep[] => [
  ...print(claudeScript.begin('go'), claudeAsks(tool)),
  { awaitLine: awaited },
  ...print(claudeScript.text('Understood.'), claudeScript.success),
  { awaitEnd: true },
]

describe('Claude Code that asks before a tool runs', () => {
  let gateway: AgentGateway
  beforeAll(async () => {
    const type = 'claude_code'
    gateway = await startAgentGateway({
      allowed: { type, steps: asking('"allow"') },
      refused: { type, steps: asking('"deny"') },
      unanswered: { type, steps: asking('"deny"'), config: { askTimeoutMs: 300 } },
    })
  })
  afterAll(() => gateway.remove())

  /** The last line that its program received, which is the answer. */
  function answerTo(agent: string): unknown {
    const { stdin = '', isStdinClosed } = gateway.program(agent).call() ?? {}
    expect(isStdinClosed).toBe(true)
    return JSON.parse(stdin.trimEnd().split('\n').at(-1) ?? '')
  }
  const responseWith = (response: object) => ({
    type: 'control_response',
    response: { subtype: 'success', request_id: 'ask-t1', response: expect.objectContaining(response) },
  })

  async function closingOf(session: string) {
    expect(await readEnd(gateway.url, session)).toMatchObject({ outcome: 'completed' })
    const events = await readEvents(gateway.url, session)
    return events.filter(({ kind }) => kind === 'question-close')
  }

  test.each([
    ['allowed', 'accept', 'allow'],
    ['refused', 'reject', 'deny'],
  ] as const)('is %s by a reply of AAEP', async (agent, decision, behavior) => {
    const { id } = await gateway.client.agents.run(agent, { prompt: 'go' })
    const subscription = gateway.client.subscribeAaep(terms, { sessions: [id] })
    for await (const event of subscription)
      if (event.type.endsWith('agent.awaiting.confirmation')) {
        expect(JSON.stringify(event)).not.toContain(tool.input)
        await subscription.reply(event, decision)
        break
      }
    expect(await closingOf(id)).toMatchObject([{ how: 'answered', decision }])
    expect(answerTo(agent)).toEqual(responseWith({ behavior }))
    await subscription.close()
  })

  test('is answered over HTTP', async () => {
    const { id } = await gateway.client.agents.run('allowed', { prompt: 'go' })
    for await (const item of gateway.client.subscribe(id)) {
      const opened =
        item.type === 'frame' ? item.frame.events.find(({ kind }) => kind === 'question-open') : undefined
      if (opened?.kind !== 'question-open') continue
      const answered = await fetch(`${gateway.url}/v1/sessions/${id}/answers`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.localKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ token: opened.token, decision: 'accept' }),
      })
      expect(answered.ok).toBe(true)
      break
    }
    expect(await closingOf(id)).toMatchObject([{ how: 'answered', decision: 'accept' }])
    expect(answerTo('allowed')).toEqual(responseWith({ behavior: 'allow' }))
  })

  test('is refused when nobody answers', async () => {
    const { id } = await gateway.client.agents.run('unanswered', { prompt: 'go' })
    expect(await closingOf(id)).toMatchObject([{ how: 'timeout', decision: 'reject' }])
    expect(answerTo('unanswered')).toEqual(responseWith({ behavior: 'deny' }))
  })
})
