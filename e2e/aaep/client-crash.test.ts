import { createClient } from '@sluice/client'
import { afterEach, expect, test } from 'vitest'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'

let gateway: GatewayProcess | undefined
afterEach(() => gateway?.remove())

test('an agent gets the answer to what it asked before the gateway was killed', async () => {
  gateway = await startGatewayProcess()
  const { url, localKey: token } = gateway
  const connect = () => createClient({ url, token, random: () => 0.05 })
  const session = await connect().createSession({ agent: 'survivor' })
  const asked = session.confirm({
    action: 'Delete 3 files',
    consequence: 'They are gone.',
    irreversible: true,
    timeoutMs: 600_000,
  })
  await session.flush()

  await gateway.kill()
  const meanwhile = session.text('I go on with other things. ')
  await gateway.restart()
  await meanwhile

  const { snapshot } = await connect().snapshot(session.id)
  const [question] = snapshot['questions'] as readonly { opened: { token: string } }[] // see docs/protocol.md
  await connect().answer(session.id, { token: question?.opened.token ?? '', decision: 'accept' })
  expect(await asked).toMatchObject({ decision: 'accept', how: 'answered' })

  await gateway.kill()
  const done = session.tool('rm', { irreversible: true }).done()
  const completed = session.complete('Deleted 3 files.')
  await gateway.restart()
  await Promise.all([done, completed])
  const { session: resource } = await connect().snapshot(session.id)
  expect(resource).toMatchObject({ outcome: 'completed', questions: 0 })
})

test('an AAEP subscription goes on behind its last event after the gateway was killed, and its answer counts', async () => {
  gateway = await startGatewayProcess()
  const { url, localKey: token } = gateway
  const connect = () => createClient({ url, token, random: () => 0.05 })
  const session = await connect().createSession({ agent: 'survivor' })
  const events = connect().subscribeAaep(
    { supports_confirmation_reply: true, coalesce_boundaries: ['none'] },
    { sessions: [session.id] },
  )
  await events.accepted
  session.text('One. ')
  const asked = session.confirm({ action: 'Go on', consequence: 'It goes on.', timeoutMs: 600_000 })
  const ids: string[] = []
  let text = ''
  for await (const event of events) {
    ids.push(event.event_id)
    if ('chunk' in event) text += event.chunk
    if (event.type === 'aaep:agent.session.completed') break
    if (event.type !== 'aaep:agent.awaiting.confirmation') continue
    await gateway.kill()
    await gateway.restart()
    await events.reply(event, 'accept')
    expect(await asked).toMatchObject({ decision: 'accept', how: 'answered' })
    session.text('Two.')
    await session.complete()
  }
  expect(text).toBe('One. Two.')
  expect(new Set(ids).size).toBe(ids.length)
  await events.close()
})
