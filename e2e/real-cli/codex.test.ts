import { codex, createCliAgent } from '../../packages/agents/src/index.ts'
import { testRealAgent } from './test-real-agent.ts'

testRealAgent(
  'Codex',
  {
    cli: 'codex',
    idleMs: 30_000,
    create: (parts) => createCliAgent(codex, parts),
    shell: (cmd) => ({ tool: 'exec_command', args: { cmd } }),
  },
  {
    failingTool: { status: 'error', exitCode: 3 },
    refusedByModel: 'codex backend error: turn failed',
    limited: 'codex backend error: turn failed (status=429)',
    tellsRetry: false,
    readOnly: { 'backend.codex.exec.sandbox_mode': 'read-only' },
    asks: false,
    hidesRefused: true,
    thinks: true,
    showsOutput: true,
    hasVersion: true,
    otherSession: '00000000-0000-4000-8000-000000000000',
  },
)
