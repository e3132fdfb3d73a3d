import { createCliAgent, opencode } from '../../packages/agents/src/index.ts'
import { testRealAgent } from './test-real-agent.ts'

testRealAgent(
  'OpenCode',
  {
    cli: 'opencode',
    idleMs: 60_000,
    create: (parts) => createCliAgent(opencode, parts),
    shell: (command) => ({ tool: 'bash', args: { command, description: 'Do it' } }),
  },
  {
    failingTool: { status: 'error', exitCode: 3 },
    refusedByModel: 'x',
    tellsRetry: false,
    asks: false,
    stopsWhenRefused: true,
    thinks: true,
    showsOutput: true,
    hasVersion: true,
    otherSession: 'ses_00000000000000000000000000',
  },
)
