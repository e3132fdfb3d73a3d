import { expect, test } from 'vitest'
import { acpAgent } from '../../packages/agents/src/acp/index.ts'
import type { CliAgent } from '../../packages/agents/src/cli/cli-agent.ts'
import { claudeCode, codex, geminiCli, opencode } from '../../packages/agents/src/index.ts'
import { judgeRun } from '../../packages/agents/src/testing/judge-run.ts'
import { type Replayed, replay } from '../../packages/agents/src/testing/replay.ts'
import { failureText } from './model-apis/model-api.ts'
import { type Recording, readRecordings } from './read-recording.ts'

const recordings = readRecordings().map((recording) => [recording.name, recording] as const)

test.each(recordings)('%s is understood', async (_, recording) => {
  const { events, verdict } = understand(recording)
  if (recording.printed.length > 0)
    expect([...events, ...(verdict === undefined ? [] : [verdict])]).not.toEqual([])
  expect(events.filter(({ kind }) => kind === 'unknown')).toEqual([])
  expect(JSON.stringify(events)).not.toContain(failureText)
  if (verdict?.ok === true) expect(recording.exitCode).toBe(0)
  const completion = { status: { code: recording.exitCode, signal: null } }
  await judgeRun({ outputs: [], events, completion, process: undefined })
})

function understand({ cli, scenario, printed }: Recording): Replayed {
  if (scenario.startsWith('acp-')) return by(acpAgent({ kind: 'agent', command: [cli] }), printed)
  switch (cli) {
    case 'claude':
      return by(claudeCode, printed)
    case 'codex':
      return by(codex, printed)
    case 'gemini':
      return by(geminiCli, printed)
    default:
      return by(opencode, printed)
  }
}

function by<S>({ mapper }: CliAgent<S>, printed: Recording['printed']): Replayed {
  return replay(mapper, printed)
}
