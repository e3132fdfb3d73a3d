import { tmpdir } from 'node:os'
import { claudeCode, codex, createCliAgent } from '@sluice/agents'
import { printer } from './shapes.mjs'

/** The measured agents. Each request says what the printer prints. */
export const agents = Object.fromEntries([claudeCode, codex].map((agent) => [agent.kind, createAgent(agent)]))

function createAgent(agent) {
  return createCliAgent(agent, {
    program: printer,
    defaults: { cwd: tmpdir(), env: { PATH: process.env.PATH } },
    options: { permissions: 'deny', askTimeoutMs: 300_000 },
  })
}
