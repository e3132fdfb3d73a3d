import { createAcpAgent } from '../../packages/agents/src/index.ts'
import { testRealAgent } from './test-real-agent.ts'

testRealAgent(
  'Gemini CLI over the Agent Client Protocol',
  {
    cli: 'gemini',
    prefix: 'acp-',
    idleMs: 45_000,
    create: ({ program, options, ...parts }) =>
      createAcpAgent({ kind: 'gemini', command: [program, '--acp'], ...options, ...parts }),
    shell: (command) => ({ tool: 'run_shell_command', args: { command, description: 'Do it' } }),
  },
  {
    failingTool: { status: 'success' },
    refusedByModel: 'gemini backend error: prompt failed (code=400)',
    tellsRetry: false,
    asks: true,
    thinks: true,
    showsOutput: false,
    hasVersion: false,
    losesInMinute: true,
    otherSession: '00000000-0000-4000-8000-000000000000',
  },
)
