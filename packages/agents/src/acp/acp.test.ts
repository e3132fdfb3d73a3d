import { expect, test } from 'vitest'
import { testCliAgent } from '../testing/test-cli-agent.ts'
import { acpAgent, createAcpAgent } from './index.ts'

const rpc = (message: object): object => ({ jsonrpc: '2.0', ...message })
const update = (told: object): object =>
  rpc({ method: 'session/update', params: { sessionId: 'acp-1', update: told } })
const tool = (toolCallId: string, fields: object): object =>
  update({ sessionUpdate: 'tool_call_update', toolCallId, kind: 'execute', ...fields })

testCliAgent({
  agent: acpAgent({ kind: 'acp', command: ['acp'] }),
  script: {
    init: [
      rpc({ id: 0, result: { protocolVersion: 1, agentCapabilities: {} } }),
      rpc({ id: 1, result: { sessionId: 'acp-1' } }),
    ],
    handle: 'acp-1',
    keepsStdin: true,
    text: (pieces, messageId) =>
      pieces.map((text) =>
        update({ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } }),
      ),
    tools: (tools) => [
      ...tools.map(({ id, input }) => tool(id, { status: 'in_progress', title: input, rawInput: { input } })),
      ...tools.map(({ id, output, ok }) =>
        tool(id, { status: ok ? 'completed' : 'failed', rawOutput: { output } }),
      ),
    ],
    success: [rpc({ id: 2, result: { stopReason: 'end_turn' } })],
    failure: {
      lines: [rpc({ id: 2, error: { code: -32603, message: 'SENTINEL-GARBAGE' } })],
      message: 'acp backend error: prompt failed (code=-32603)',
    },
    disguised: {
      lines: [rpc({ id: 2, result: { stopReason: 'refusal' } })],
      message: 'acp failed: refused',
    },
    permission: {
      ask: (input) => [
        rpc({
          id: 7,
          method: 'session/request_permission',
          params: {
            sessionId: 'acp-1',
            toolCall: { toolCallId: 't1', title: input, rawInput: { input } },
            options: [
              { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
              { optionId: 'no', name: 'No', kind: 'reject_once' },
            ],
          },
        }),
      ],
      allowed: '"optionId":"yes"',
      refused: '"optionId":"no"',
    },
  },
})

test.each([
  [process.execPath, true],
  ['no-such-program', false],
] as const)('look() tells whether %s is there, and does not start it', async (program, isInstalled) => {
  const agent = createAcpAgent({
    kind: 'acp',
    command: [program],
    defaults: { cwd: '/', env: { PATH: '/nowhere' } },
    permissions: 'ask',
    askTimeoutMs: 1000,
  })
  expect(await agent.look()).toMatchObject({ isInstalled })
})
