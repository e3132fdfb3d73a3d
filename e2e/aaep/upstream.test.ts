import { createClient } from '@sluice/client'
import { afterEach, expect, test } from 'vitest'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'
import { rounds } from '../testing/rounds.ts'
import { until } from '../testing/until.ts'

let running: GatewayProcess[] = []
afterEach(async () => {
  await Promise.all(running.map((gateway) => gateway.remove()))
  running = []
})

async function start(upstreams: readonly object[] = []): Promise<GatewayProcess> {
  const settings = { SLUICE_AAEP_UPSTREAMS: JSON.stringify(upstreams) }
  const gateway = await startGatewayProcess({ settings })
  running.push(gateway)
  return gateway
}

const follow = ({ url, localKey: token }: GatewayProcess) => start([{ url, token, allowPrivate: true }])

const connect = ({ url, localKey: token }: GatewayProcess) => createClient({ url, token, random: () => 0.05 })

/** The text of a session so far; empty if the session does not exist. */
async function textOf(gateway: GatewayProcess, session: string): Promise<string> {
  const found = await connect(gateway)
    .snapshot(session)
    .catch(() => undefined)
  const outputs = (found?.snapshot['outputs'] ?? []) as readonly { readonly text: string }[] // see docs/protocol.md
  return outputs.map(({ text }) => text).join('')
}

const isFollowing = async ({ url }: GatewayProcess): Promise<boolean> =>
  (await (await fetch(`${url}/metrics`)).text()).includes('sluice_upstreams{state="connected"} 1\n')

test('a follower has every word once, whichever of the two gateways is killed meanwhile', async () => {
  const far = await start()
  const near = await follow(far)
  await until(() => isFollowing(near))
  const session = await connect(far).createSession({ agent: 'teller' })
  let told = 'It begins. '
  await session.text(told)
  await session.flush()
  // A follower that has stored nothing has no event to resume after (docs/aaep.md).
  await until(async () => (await textOf(near, session.id)) === told)
  for (const killed of [undefined, near, far, ...(rounds > 1 ? [near, far] : [])]) {
    await killed?.kill()
    const text = `Sentence ${told.length} of the story. `
    const written = session.text(text)
    told += text
    await killed?.restart()
    await written
    await session.flush()
  }
  await session.complete()
  await until(async () => (await connect(near).snapshot(session.id)).session.state === 'ended')
  expect(await textOf(near, session.id)).toBe(told)
}, 120_000)

test('an answer that was given while the producer was away arrives, also when the follower is killed before', async () => {
  const far = await start()
  const near = await follow(far)
  await until(() => isFollowing(near))
  const session = await connect(far).createSession({ agent: 'asker' })
  const asked = session.confirm({ action: 'Book it', consequence: 'It costs 24 euros.', timeoutMs: 600_000 })
  await session.flush()
  const questionsOf = async (gateway: GatewayProcess) => {
    const found = await connect(gateway)
      .snapshot(session.id)
      .catch(() => undefined)
    return (found?.snapshot['questions'] ?? []) as readonly { readonly opened: { readonly token: string } }[] // see docs/protocol.md
  }
  await until(async () => (await questionsOf(near)).length === 1)
  await far.kill()
  const [question] = await questionsOf(near)
  await connect(near).answer(session.id, { token: question?.opened.token ?? '', decision: 'accept' })
  await near.kill()
  await far.restart()
  await near.restart()
  expect(await asked).toMatchObject({ decision: 'accept', how: 'answered' })
  await session.complete()
}, 120_000)
