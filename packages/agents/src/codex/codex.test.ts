import type { ScriptedTool } from '../testing/cli-script.ts'
import { testCliAgent } from '../testing/test-cli-agent.ts'
import { codex } from './index.ts'

const thread = '0199a213-81c0-7800-8aa1-bbab2a035a53'

const message = (id: string, text: string): unknown => ({
  type: 'item.completed',
  item: { id, type: 'agent_message', text },
})

const command = ({ id, input }: ScriptedTool): Readonly<Record<string, unknown>> => ({
  id,
  type: 'command_execution',
  command: input,
})

testCliAgent({
  agent: codex,
  script: {
    init: [
      { type: 'thread.started', thread_id: thread },
      { type: 'item.completed', item: { id: 'w0', type: 'error', message: 'Model metadata not found' } },
      { type: 'turn.started' },
    ],
    handle: thread,
    text: (pieces, id) => [message(id, pieces.join(''))],
    whole: (text, id) => [message(id, text)],
    tools: (tools) => [
      ...tools.map((tool) => ({
        type: 'item.started',
        item: { ...command(tool), aggregated_output: '', exit_code: null, status: 'in_progress' },
      })),
      ...tools.toReversed().map((tool) => ({
        type: 'item.completed',
        item: {
          ...command(tool),
          aggregated_output: tool.output,
          exit_code: tool.ok ? 0 : 1,
          status: tool.ok ? 'completed' : 'failed',
        },
      })),
    ],
    retryable: [
      { type: 'error', message: 'Reconnecting... 1/5 (unexpected status 503 Service Unavailable: no)' },
    ],
    success: [{ type: 'turn.completed', usage: { input_tokens: 22, output_tokens: 14 } }],
    failure: {
      lines: [
        { type: 'error', message: 'exceeded retry limit, last status: 429 Too Many Requests' },
        {
          type: 'turn.failed',
          error: { message: 'exceeded retry limit, last status: 429 Too Many Requests' },
        },
      ],
      message: 'codex backend error: turn failed (status=429)',
    },
  },
})
