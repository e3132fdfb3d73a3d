import type { AgentConfig } from '@sluice/gateway/admin'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toAgentEnvironment } from './usual-environment.ts'

const types = [
  'claude_code',
  'codex',
  'gemini_cli',
  'opencode',
  'aider',
  'acp',
  'command',
  'remote',
  'demo',
] as const satisfies readonly AgentConfig['type'][]

const own = {
  SLUICE_TOKEN: 'secret',
  SLUICE_GATEWAY: 'https://gateway.example',
  SLUICE_DATA: '/data',
  SLUICE_CONFIG: '/config',
  SLUICE_LOG_LEVEL: 'warn',
}

test.each(types)('no variable of Sluice reaches the process of an agent of the type %s', (type) => {
  const name = fc.string({ unit: fc.constantFrom('A', 'Z', '_', '9', 'a') }).map((end) => `SLUICE_${end}`)
  fc.assert(
    fc.property(fc.dictionary(name, fc.string()), (more) => {
      const env = toAgentEnvironment({ type }, { ...more, ...own, PATH: '/bin' })
      expect(Object.keys(env).filter((key) => /sluice/i.test(key))).toEqual([])
      expect(env).toMatchObject({ PATH: '/bin' })
    }),
  )
})

test('one that passEnv names does, and no other', () => {
  const env = toAgentEnvironment({ type: 'command', passEnv: ['SLUICE_TOKEN'] }, own)
  expect(env).toEqual({ SLUICE_TOKEN: 'secret' })
})
