// A fake agent, built with the Agent Client Protocol's own library: node fake-acp-agent.mjs SCENARIO NOTES.
// Plays the scenario when it is prompted, and writes each message that it receives to the file NOTES.

import { appendFileSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { agent, methods, ndJsonStream, RequestError } from '@agentclientprotocol/sdk'

const [scenario = 'normal', notes] = process.argv.slice(2)
let isLoggedIn = false
let cancel = () => {}
const cancelled = new Promise((resolve) => {
  cancel = resolve
})

const scenarios = {
  async normal({ think, say, update }) {
    await think('Let me ')
    await think('see.')
    await say('Hel')
    await say('lo, ')
    await say('wörld')
    await update({
      sessionUpdate: 'usage_update',
      used: 10,
      size: 100,
      cost: { amount: 0.5, currency: 'USD' },
    })
    return {
      stopReason: 'end_turn',
      usage: { totalTokens: 9, inputTokens: 4, outputTokens: 5, thoughtTokens: 2 },
    }
  },
  async plan({ update }) {
    const entry = (content, status) => ({ content, priority: 'medium', status })
    await update({ sessionUpdate: 'plan', entries: [entry('Look', 'completed'), entry('Do', 'in_progress')] })
    return { stopReason: 'end_turn' }
  },
  async tools({ say, call, done }) {
    await say('I look.')
    await call('t1', { name: 'grep', kind: 'search', rawInput: { pattern: 'SENTINEL-ARGS' } })
    await call('t2', {
      title: 'cat SENTINEL-ARGS',
      kind: 'execute',
      rawInput: { command: 'cat SENTINEL-ARGS' },
    })
    await done('t2', 'failed', { rawOutput: { output: 'SENTINEL-OUTPUT', exitCode: 2 } })
    await done('t1', 'completed', { content: [text('SENTINEL-OUTPUT'), text('more')] })
    await done('t1', 'failed', {})
    await say('Found.')
    return { stopReason: 'end_turn' }
  },
  async permission({ say, ask, done }) {
    const outcome = await ask('t1', [
      { optionId: 'a', name: 'Yes', kind: 'allow_once' },
      { optionId: 'b', name: 'Yes, always', kind: 'allow_always' },
      { optionId: 'c', name: 'No', kind: 'reject_once' },
    ])
    if (outcome.outcome === 'selected')
      await done('t1', outcome.optionId === 'c' ? 'failed' : 'completed', {})
    await say(outcome.optionId ?? outcome.outcome)
    return { stopReason: 'end_turn' }
  },
  /** Withdraws its question and continues. */
  async withdrawn({ say, client, sessionId }) {
    const controller = new AbortController()
    const asked = client.request(
      methods.client.session.requestPermission,
      toPermission(sessionId, 't1', []),
      {
        cancellationSignal: controller.signal,
      },
    )
    controller.abort()
    await asked.catch(() => {})
    await say('Never mind.')
    return { stopReason: 'end_turn' }
  },
  async cancel({ say }) {
    await say('Working')
    await cancelled
    return { stopReason: 'cancelled' }
  },
  async stubborn({ say }) {
    process.on('SIGTERM', () => {})
    setInterval(() => {}, 60_000)
    await say('Working')
    return new Promise(() => {})
  },
  /** Finishes its turn but does not exit. */
  async stays({ say }) {
    setInterval(() => {}, 60_000)
    await say('Hello')
    return { stopReason: 'end_turn' }
  },
  async exit({ say }) {
    await say('Hello')
    process.stderr.write('SENTINEL-STDERR')
    process.exit(3)
  },
  async garbage({ say }) {
    await say('Hel')
    await print('SENTINEL-GARBAGE {\n\n')
    await print('{"level":"info","text":"SENTINEL-GARBAGE"}\n')
    await print('{"jsonrpc":"2.0","id":"SENTINEL-GARBAGE","result":{}}\n')
    await print('{"jsonrpc":"2.0","method":"session/update","params":{"update":"SENTINEL-GARBAGE"}}\n')
    await print('{"jsonrpc":"2.0","method":"_own/SENTINEL-GARBAGE","params":[]}\n')
    await say('lo')
    return { stopReason: 'end_turn' }
  },
  /** Requests something that no client of this kind offers. */
  async files({ say, client, sessionId }) {
    const read = client.request(methods.client.fs.readTextFile, { sessionId, path: '/SENTINEL-ARGS' })
    await say(
      await read.then(
        () => 'read',
        ({ code }) => `refused: ${code}`,
      ),
    )
    return { stopReason: 'end_turn' }
  },
  async fails({ say }) {
    await say('Hello')
    throw new RequestError(429, 'SENTINEL-GARBAGE', { details: 'SENTINEL-GARBAGE' })
  },
  refusal: async () => ({ stopReason: 'refusal' }),
  max_tokens: async () => ({ stopReason: 'max_tokens' }),
  max_turn_requests: async () => ({ stopReason: 'max_turn_requests' }),
}

const capabilities = {
  resume: { sessionCapabilities: { resume: {}, list: {} } },
  load: { loadSession: true },
}

const session = (id) => ({ sessionId: id, configOptions: [model] })
const model = {
  id: 'the-model',
  name: 'Model',
  category: 'model',
  type: 'select',
  currentValue: 'small',
  options: [
    { value: 'small', name: 'Small' },
    { value: 'large', name: 'Large' },
  ],
}

agent({ name: 'fake' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: scenario === 'other-version' ? 2 : 1,
    agentInfo: { name: 'fake', title: 'Fake Agent', version: '1.2.3' },
    agentCapabilities: capabilities[scenario] ?? {},
    authMethods: ['login', 'locked'].includes(scenario) ? [{ id: 'key', name: 'Key' }] : [],
  }))
  .onRequest(methods.agent.authenticate, ({ params }) => {
    note('authenticate', params)
    isLoggedIn = scenario === 'login'
    return {}
  })
  .onRequest(methods.agent.session.new, ({ params }) => {
    note('session/new', params)
    if (['login', 'locked'].includes(scenario) && !isLoggedIn) throw RequestError.authRequired()
    return session('fake-1')
  })
  .onRequest(methods.agent.session.list, ({ params }) => {
    const at = (sessionId, cwd, updatedAt) => ({ sessionId, cwd, updatedAt })
    return {
      sessions: [
        at('fake-1', params.cwd, '2026-01-01T00:00:00Z'),
        at('fake-2', params.cwd, '2026-03-01T00:00:00Z'),
        at('fake-3', '/elsewhere', '2026-04-01T00:00:00Z'),
      ],
    }
  })
  .onRequest(methods.agent.session.resume, ({ params }) => {
    note('session/resume', params)
    if (params.sessionId === 'gone') throw RequestError.sessionNotFound(params.sessionId)
    return { configOptions: [model] }
  })
  .onRequest(methods.agent.session.load, async ({ params, client }) => {
    note('session/load', params)
    const { update, say, call, done } = tools(client, params.sessionId)
    await update({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'SENTINEL-HISTORY' } })
    await say('SENTINEL-HISTORY')
    await call('old', { name: 'grep' })
    await done('old', 'completed', {})
    return { configOptions: [model] }
  })
  .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
    note('session/set_config_option', params)
    if (params.value !== 'large') throw RequestError.invalidParams({ value: params.value })
    return { configOptions: [{ ...model, currentValue: params.value }] }
  })
  .onRequest(methods.agent.session.prompt, ({ params, client }) => {
    note('session/prompt', params)
    const play = scenarios[scenario] ?? scenarios.normal
    return play({ client, sessionId: params.sessionId, ...tools(client, params.sessionId) })
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => {
    note('session/cancel', params)
    cancel()
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))

function tools(client, sessionId) {
  const update = (told) => client.notify(methods.client.session.update, { sessionId, update: told })
  const chunk = (kind) => (said) => update({ sessionUpdate: kind, content: { type: 'text', text: said } })
  return {
    update,
    say: chunk('agent_message_chunk'),
    think: chunk('agent_thought_chunk'),
    call: (toolCallId, fields) =>
      update({ sessionUpdate: 'tool_call', toolCallId, title: 'A call', status: 'in_progress', ...fields }),
    done: (toolCallId, status, fields) =>
      update({ sessionUpdate: 'tool_call_update', toolCallId, status, ...fields }),
    ask: async (toolCallId, options) => {
      const { outcome } = await client.request(
        methods.client.session.requestPermission,
        toPermission(sessionId, toolCallId, options),
      )
      note('outcome', outcome)
      return outcome
    },
  }
}

function toPermission(sessionId, toolCallId, options) {
  const toolCall = {
    toolCallId,
    title: 'rm SENTINEL-ARGS',
    kind: 'delete',
    rawInput: { path: 'SENTINEL-ARGS' },
  }
  return { sessionId, toolCall, options }
}

function text(content) {
  return { type: 'content', content: { type: 'text', text: content } }
}

function note(method, params) {
  if (notes !== undefined) appendFileSync(notes, `${JSON.stringify({ method, params })}\n`)
}

function print(bytes) {
  return new Promise((resolve) => process.stdout.write(bytes, resolve))
}
