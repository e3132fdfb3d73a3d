import { testCliAgent } from '../testing/test-cli-agent.ts'
import { geminiCli } from './index.ts'

const timestamp = '2026-04-21T12:00:00.000Z'
const message = (content: string) => ({ type: 'message', timestamp, role: 'assistant', content })
const stats = { total_tokens: 10, input_tokens: 4, output_tokens: 6, cached: 0, models: { 'gemini-pro': {} } }
const result = { type: 'result', timestamp, status: 'success', stats }
const error = { type: 'error', timestamp, severity: 'error' }

testCliAgent({
  agent: geminiCli,
  script: {
    init: [
      { type: 'init', timestamp, session_id: 'gemini-1', model: 'gemini-pro' },
      { type: 'message', timestamp, role: 'user', content: 'say hello SENTINEL-PROMPT' },
    ],
    handle: 'gemini-1',
    text: (pieces) => pieces.map((piece) => ({ ...message(piece), delta: true })),
    whole: (text) => [message(text)],
    tools: (tools) => [
      ...tools.map(({ id, input }) => ({
        type: 'tool_use',
        timestamp,
        tool_name: 'run_shell_command',
        tool_id: id,
        parameters: { command: input },
      })),
      ...tools.map(({ id, output, ok }) => ({
        type: 'tool_result',
        timestamp,
        tool_id: id,
        ...(ok ? { status: 'success', output } : { status: 'error', error: { type: 'x', message: output } }),
      })),
    ],
    retryable: [{ ...error, severity: 'warning', message: 'Agent execution blocked: SENTINEL-GARBAGE' }],
    success: [result],
    failure: {
      lines: [
        { ...result, status: 'error', error: { type: 'FatalTurnLimitedError', message: 'SENTINEL-GARBAGE' } },
      ],
      message: 'gemini backend error: turn limit exceeded',
    },
    disguised: {
      lines: [{ ...error, message: 'Maximum session turns exceeded' }, result],
      message: 'gemini backend error: turn limit exceeded',
    },
  },
})
