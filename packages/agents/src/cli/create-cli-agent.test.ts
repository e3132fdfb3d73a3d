import { systemClock } from '@sluice/protocol'
import { expect, test } from 'vitest'
import { modelKey } from '../request/extension-keys.ts'
import { createFakeProgram } from '../testing/fake-program.ts'
import { plainAgent } from '../testing/plain-agent.ts'
import { type CliAgentConfig, createCliAgent } from './create-cli-agent.ts'

const create = (path: string, config: Partial<CliAgentConfig> = {}) =>
  createCliAgent(
    { ...plainAgent, capabilities: ['b', 'a'] },
    {
      defaults: { cwd: '/', env: { PATH: path } },
      options: { permissions: 'deny', askTimeoutMs: 1000 },
      ...config,
    },
  )

test('an agent that is on the path is there, with its version', async () => {
  const program = createFakeProgram('plain', [{ print: 'plain 1.2.3' }])
  const found = { isInstalled: true, path: program.path, version: '1.2.3' }
  expect(await create(`/nowhere:${program.folder}`).look()).toEqual(found)
  expect(program.call()?.args).toEqual(['--version'])
  expect(await create('', { program: program.path }).look()).toEqual(found)
  program.remove()
})

test('an agent that is not there says how to get it', async () => {
  expect(await create('/nowhere').look()).toEqual({ isInstalled: false, hint: 'npm install plain' })
})

test('an agent without a version is there all the same', async () => {
  const program = createFakeProgram('plain', [{ exit: 1 }])
  expect(await create(program.folder).look()).toEqual({ isInstalled: true, path: program.path })
  program.remove()
})

test('the capabilities of an agent are sorted', () => {
  expect(create('').capabilities).toEqual(['a', 'b'])
})

test('a request that the agent does not take is refused before anything is begun', () => {
  const program = createFakeProgram('plain', [])
  const agent = create(program.folder)
  const host = {
    clock: systemClock,
    onProcess: async (): Promise<void> => expect.unreachable('nothing is begun'),
  }
  const request = { prompt: 'hello', extensions: { [modelKey]: 7 } }
  const refusal = expect.objectContaining({ code: 'invalid_run' })
  expect(() => agent.check(request)).toThrow(refusal)
  expect(() => agent.run(request, host)).toThrow(refusal)
  expect(() => agent.check({ prompt: 'hello' })).not.toThrow()
  expect(program.call()).toBeUndefined()
  program.remove()
})
