import { randomUUID } from 'node:crypto'
import { type Dialect, systemClock } from '@sluice/protocol'
import { createConverter, dialectById, dialects } from '@sluice/protocol/dialects'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Essence, essenceOf } from '../../packages/protocol/src/testing/projection.ts'
import { richSession } from '../../packages/protocol/src/testing/rich-session.ts'
import { encodeSession, entriesOf, readSession } from '../../packages/protocol/src/testing/sessions.ts'
import { type LocalGateway, startLocalGateway } from '../testing/local-gateway.ts'

// These tests cover every dialect in the list: an added dialect is tested without a change here.

const rich = entriesOf(richSession)
const essence = essenceOf(rich.state)

/** The rich session as a producer of this dialect sends it. */
const linesIn = (dialect: Dialect, session = rich.state.id): readonly string[] =>
  encodeSession(dialect, { id: session }, rich.entries).map(({ data }) => data)

const essenceIn = (dialect: Dialect, lines: readonly string[]) => essenceOf(readSession(dialect, lines).state)

/** Without how questions ended: the gateway decides that, whatever a producer says. */
const told = (whole: Essence): Essence => ({
  ...whole,
  questions: whole.questions.map((question) => question.slice(0, question.lastIndexOf(': '))),
})

function convert(from: Dialect, to: Dialect, lines: readonly string[]): readonly string[] {
  const converter = createConverter({ from, to })
  const results = [...lines.map((line) => converter.push(line)), ...converter.end()]
  return results.flatMap(({ frames }) => frames.map(({ data }) => data))
}

let gateway: LocalGateway

beforeAll(async () => {
  gateway = await startLocalGateway(systemClock)
})

afterAll(() => gateway.close())

/** Publishes the rich session in one dialect and reads it in another. */
async function pass(from: Dialect, to: Dialect): Promise<readonly string[]> {
  const session = `sess_${randomUUID().replaceAll('-', '')}`
  const path = `${gateway.url}/v1/sessions/${session}`
  const headers = { 'content-type': 'application/x-ndjson' }
  const body = linesIn(from, session).join('\n')
  const published = await fetch(`${path}/events?dialect=${from.id}`, { method: 'POST', headers, body })
  expect(await published.json()).toMatchObject({ duplicates: 0, refused: [] })
  if (!from.supports.terminal) await fetch(`${path}/end`, { method: 'POST' })
  const read = await fetch(`${path}/events?dialect=${to.id}&live=false`, {
    headers: { accept: 'application/x-ndjson' },
  })
  return (await read.text()).trimEnd().split('\n')
}

describe.each(dialects.map((dialect) => [dialect.id, dialect] as const))('%s', (id, dialect) => {
  const other = dialectById(id === 'aaep' ? 'sluice' : 'aaep')

  test('is converted both ways with all that matters', () => {
    const there = convert(dialect, other, linesIn(dialect))
    expect(essenceIn(other, there)).toEqual(essence)
    expect(essenceIn(dialect, convert(other, dialect, there))).toEqual(essence)
  })

  test('is published to a gateway and read in another dialect', async () => {
    expect(told(essenceIn(other, await pass(dialect, other)))).toEqual(told(essence))
  })

  test('is read from a gateway where another dialect was published', async () => {
    expect(told(essenceIn(dialect, await pass(other, dialect)))).toEqual(told(essence))
  })
})
