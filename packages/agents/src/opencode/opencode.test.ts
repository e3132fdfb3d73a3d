import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createCliAgent } from '../cli/create-cli-agent.ts'
import { groupMembers } from '../process/group-members.ts'
import { createFakeProgram } from '../testing/fake-program.ts'
import { playRun } from '../testing/play-run.ts'
import { testCliAgent } from '../testing/test-cli-agent.ts'
import { opencode } from './index.ts'

const line = (type: string, part: object) => ({ type, timestamp: 1, sessionID: 'ses_1', part })
const text = (written: string, id: string) => [
  line('text', { id: `prt_${id}`, messageID: id, type: 'text', text: written, time: { start: 1, end: 2 } }),
]
const tokens = { input: 10, output: 3, reasoning: 0, cache: { read: 0, write: 0 } }
const finish = (reason: string) =>
  line('step_finish', { id: 'prt_f', type: 'step-finish', reason, cost: 0.001, tokens })

testCliAgent({
  agent: opencode,
  script: {
    init: [line('step_start', { id: 'prt_s', messageID: 'm1', type: 'step-start' })],
    handle: 'ses_1',
    // A text arrives whole, and sometimes twice.
    text: (pieces, id) => [...text(pieces.join(''), id), ...text(pieces.join(''), id)],
    whole: text,
    tools: (tools) =>
      tools.map(({ id, input, output, ok }) =>
        line('tool_use', {
          id: `prt_${id}`,
          type: 'tool',
          callID: id,
          tool: 'bash',
          state: {
            input: { command: input },
            time: { start: 1, end: 2 },
            ...(ok
              ? { status: 'completed', output, title: input, metadata: { exit: 0, output } }
              : { status: 'error', error: output }),
          },
        }),
      ),
    retryable: [
      {
        type: 'error',
        timestamp: 1,
        sessionID: 'ses_1',
        error: { name: 'ContextOverflowError', data: { message: 'SENTINEL-GARBAGE' } },
      },
    ],
    success: [finish('stop')],
    isTentative: true,
    failure: {
      lines: [
        {
          type: 'error',
          timestamp: 1,
          sessionID: 'ses_1',
          error: { name: 'APIError', data: { message: 'SENTINEL-GARBAGE', statusCode: 429 } },
        },
      ],
      message: 'opencode backend error: rate limited',
    },
    disguised: { lines: [finish('error')], message: 'opencode run failed' },
  },
})

test('a run of opencode that goes on from a summary completes, though it exits with 1', async () => {
  const lines = readFileSync(new URL('./fixtures/summed-up.ndjson', import.meta.url), 'utf8')
  const program = createFakeProgram('opencode', [{ bytes: lines }, { exit: 1 }])
  const agent = createCliAgent(opencode, {
    program: program.path,
    defaults: { cwd: program.folder, env: { PATH: process.env['PATH'] ?? '' } },
    options: { permissions: 'deny', askTimeoutMs: 1000 },
  })
  const { completion, process: begun } = await playRun(agent, { prompt: 'go' })
  expect(completion).toMatchObject({ status: { code: 1 }, finalText: 'The end.' })
  expect(await groupMembers(begun?.pid ?? 0)).toEqual([])
  program.remove()
})
