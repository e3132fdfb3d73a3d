import { afterEach, expect, test } from 'vitest'
import { runSluice } from '../../packages/cli/src/testing/run-sluice.ts'
import {
  createDataDirectory,
  type GatewayProcess,
  startGateway,
} from '../../packages/cli/src/testing/start-gateway.ts'
import { until } from '../testing/until.ts'

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function start(...args: readonly string[]): Promise<GatewayProcess> {
  const [data, remove] = await createDataDirectory()
  cleanUps.push(remove)
  const gateway = await startGateway(data, args)
  cleanUps.push(() => gateway.end('SIGKILL'))
  return gateway
}

const connectedTo = async ({ url }: GatewayProcess): Promise<string | undefined> =>
  /^sluice_upstreams\{state="connected"\} (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]

test('sluice serve --aaep-upstream follows every producer that it names', async () => {
  const far = [await start(), await start()]
  const near = await start(...far.flatMap(({ url }) => ['--aaep-upstream', url]))
  await until(async () => (await connectedTo(near)) === '2')
  expect(await near.end('SIGTERM')).toBe(0)
  for (const { errors } of far) expect(errors()).toBe('')
})

test('sluice serve --aaep-upstream takes http on this machine only', async () => {
  const [data, remove] = await createDataDirectory()
  cleanUps.push(remove)
  const { code, stderr } = await runSluice([
    'serve',
    '--data',
    data,
    '--aaep-upstream',
    'http://10.0.0.7:8080',
  ])
  expect(code).toBe(2)
  expect(stderr).toContain('must be an https address unless allowPrivate is true.')
})
