import { createClient } from '@sluice/client'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { hasPty, openPty, type Pty } from '../../packages/cli/src/listen/testing/pty.ts'
import { localKey, type StartedGateway, startGateway } from '../client/start-gateway.ts'

let gateway: StartedGateway
const opened: Pty[] = []
beforeAll(async () => {
  gateway = await startGateway()
})
afterEach(() => {
  for (const pty of opened.splice(0)) pty.close()
})
afterAll(() => gateway?.close())

const connect = () => createClient({ url: gateway.url, token: localKey })
const agent = { id: 'tidy', name: 'Tidy' }

function listen(session: string): Pty {
  const pty = openPty(['listen', session, '--gateway', gateway.url], { SLUICE_TOKEN: localKey })
  opened.push(pty)
  return pty
}

describe.skipIf(!hasPty())('sluice listen and a gateway', () => {
  test('a person who listens decides, and hears what came of it', async () => {
    const session = await connect().createSession({ agent, request: 'Tidy up.', language: 'en' })
    const pty = listen(session.id)
    await pty.until('Tidy up.')
    session.text('## Old files\n\nThere are **three**. ')
    await pty.until('Heading: Old files')
    await pty.until('There are three.')
    const asked = session.confirm({
      action: 'Delete three files',
      consequence: 'They are gone.',
      risk: 'high',
      irreversible: true,
      timeoutMs: 300_000,
    })
    await pty.until('Question: Delete three files. Consequence: They are gone. This cannot be undone.')
    pty.press('y')
    expect(await asked).toMatchObject({ decision: 'accept', how: 'answered' })
    await pty.until('The request was accepted.')
    await session.complete('Three files are deleted.')
    await pty.until('Three files are deleted.')
    pty.press('q')
    expect(await pty.exited()).toBe(0)
  })

  test('the answer of somebody else is told, and a later key answers nothing', async () => {
    const session = await connect().createSession({ agent, language: 'en' })
    const pty = listen(session.id)
    const choices = [
      { value: 'early', label: 'The early one' },
      { value: 'late', label: 'The late one' },
    ]
    const asked = session.ask({ question: 'Which train?', choices, timeoutMs: 300_000 })
    await pty.until('Question: Which train? 1: The early one. 2: The late one.')
    const other = listen(session.id)
    await other.until('Question: Which train?')
    other.press('2')
    expect(await asked).toMatchObject({ response: 'late', how: 'answered' })
    await pty.until('answered')
    pty.press('1')
    await pty.until('No question is open.')
    await session.complete()
  })
})
