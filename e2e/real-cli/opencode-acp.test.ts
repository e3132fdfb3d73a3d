import { createAcpAgent } from '../../packages/agents/src/index.ts'
import { testRealAgent } from './test-real-agent.ts'

testRealAgent(
  'OpenCode over the Agent Client Protocol',
  {
    cli: 'opencode',
    prefix: 'acp-',
    idleMs: 60_000,
    create: ({ program, options, ...parts }) =>
      createAcpAgent({ kind: 'opencode', command: [program, 'acp'], ...options, ...parts }),
    shell: (command) => ({ tool: 'bash', args: { command, description: 'Do it' } }),
  },
  {
    failingTool: { status: 'error', exitCode: 3 },
    refusedByModel: 'opencode backend error: prompt failed (code=-32603)',
    tellsRetry: false,
    asks: true,
    stopsWhenRefused: true,
    thinks: true,
    showsOutput: true,
    hasVersion: false,
    unknownSession: 'opencode backend error: the session was not resumed (code=-32603)',
    otherSession: 'ses_00000000000000000000000000',
  },
)
