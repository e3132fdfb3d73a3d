import { createCliAgent, geminiCli } from '../../packages/agents/src/index.ts'
import { testRealAgent } from './test-real-agent.ts'

testRealAgent(
  'Gemini CLI',
  {
    cli: 'gemini',
    idleMs: 45_000,
    create: (parts) => createCliAgent(geminiCli, parts),
    shell: (command) => ({ tool: 'run_shell_command', args: { command, description: 'Do it' } }),
  },
  {
    failingTool: { status: 'success' },
    refusedByModel: 'gemini backend error: model API error',
    tellsRetry: false,
    asks: false,
    thinks: false,
    showsOutput: true,
    hasVersion: true,
    otherSession: '00000000-0000-4000-8000-000000000000',
  },
)
