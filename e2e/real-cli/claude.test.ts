import { claudeCode, createCliAgent } from '../../packages/agents/src/index.ts'
import { testRealAgent } from './test-real-agent.ts'

testRealAgent(
  'Claude Code',
  {
    cli: 'claude',
    idleMs: 30_000,
    create: (parts) => createCliAgent(claudeCode, parts),
    shell: (command) => ({ tool: 'Bash', args: { command, description: 'Do it' } }),
  },
  {
    failingTool: { status: 'error', exitCode: 3 },
    refusedByModel: 'claude_code failed: model API error (status=400)',
    tellsRetry: true,
    asks: true,
    thinks: true,
    showsOutput: true,
    hasVersion: true,
    otherSession: '00000000-0000-4000-8000-000000000000',
  },
)
