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
    refusedByModel: 'opencode backend error: model API error',
    tellsRetry: false,
    asks: false,
    refusedTool: 'opencode backend error: permission refused',
    thinks: true,
    showsOutput: true,
    hasVersion: true,
    otherSession: 'ses_00000000000000000000000000',
  },
)
