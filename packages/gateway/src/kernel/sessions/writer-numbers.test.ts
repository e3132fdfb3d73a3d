import { createMemoryLog, type Log } from '@sluice/log'
import { beforeEach, expect, test } from 'vitest'
import {
  allOrNothing,
  each,
  entriesIn,
  openTestWriter,
  publicationOf,
} from '../../testing/open-test-writer.ts'
import { chunk, toBatch } from '../../testing/sample-lines.ts'
import { parseProducer } from './producers.ts'
import type { PublishReport, Writer } from './writer.ts'

const id = 'sess_numbers'
const publication = publicationOf('stream-event', { producer: 'p' })
let log: Log
let writer: Writer

beforeEach(async () => {
  log = createMemoryLog()
  writer = (await openTestWriter(id, log, { producersPerSession: 2 })).writer
})

const send = (epoch: number, seq: number, ...lines: readonly string[]): Promise<PublishReport> =>
  writer.publish(toBatch(...lines), publication, { ...each, claim: { name: 'p', epoch, seq } })
const markOf = async (name = 'p') => (await log.head(id))?.producers[name]

test('numbers that were taken are duplicates, also those at the head of a batch', async () => {
  await send(0, 0, chunk('a'), chunk('b'))
  expect(await send(0, 0, chunk('a'), chunk('b'))).toMatchObject({ accepted: 0, duplicates: 2 })
  expect(await send(0, 1, chunk('b'), chunk('c'))).toMatchObject({ accepted: 1, duplicates: 1 })
  expect(await send(0, 0, chunk('a'))).toMatchObject({ duplicates: 1 })
  expect(await markOf()).toEqual({ epoch: 0, seq: 2 })
  expect(await entriesIn(log, id)).toHaveLength(3)
})

test('a number beyond the next one is a gap and tells the expected one', async () => {
  await send(0, 0, chunk('a'))
  await expect(send(0, 2, chunk('c'))).rejects.toMatchObject({
    code: 'producer_gap',
    details: { expected: 1 },
  })
  expect(await send(0, 1, chunk('b'))).toMatchObject({ accepted: 1 })
})

test('a producer that nobody knows begins with 0', async () => {
  await expect(send(0, 1, chunk('a'))).rejects.toMatchObject({ details: { expected: 0 } })
  await expect(send(7, 3, chunk('a'))).rejects.toMatchObject({ details: { expected: 0 } })
})

test('a higher epoch starts at 0 and fences the lower ones', async () => {
  await send(0, 0, chunk('a'), chunk('b'))
  await expect(send(2, 2, chunk('c'))).rejects.toMatchObject({
    code: 'producer_gap',
    details: { expected: 0 },
  })
  expect(await send(2, 0, chunk('c'))).toMatchObject({ accepted: 1 })
  for (const seq of [0, 2, 9])
    await expect(send(1, seq, chunk('b'))).rejects.toMatchObject({
      code: 'producer_fenced',
      details: { epoch: 2 },
    })
})

test('every line counts, refused ones too', async () => {
  expect(await send(0, 0, chunk('a'), 'no JSON', chunk('c'))).toMatchObject({
    accepted: 2,
    refused: [{ line: 2 }],
  })
  expect(await markOf()).toEqual({ epoch: 0, seq: 2 })
  expect(await send(0, 3, 'no JSON')).toMatchObject({ accepted: 0, refused: [{ line: 1 }] })
  expect(await markOf()).toEqual({ epoch: 0, seq: 3 })
  expect(await send(0, 4, chunk('d'))).toMatchObject({ accepted: 1 })
})

test('a refused array takes no numbers', async () => {
  const terms = { ...allOrNothing, claim: { name: 'p', epoch: 0, seq: 0 } }
  const report = await writer.publish(toBatch(chunk('a'), 'no JSON'), publication, terms)
  expect(report).toMatchObject({ accepted: 0, refused: [{ line: 2, code: 'not_json' }] })
  expect(await log.head(id)).toBeUndefined()
  expect(await send(0, 0, chunk('a'))).toMatchObject({ accepted: 1 })
})

test('numbers survive opening the session again', async () => {
  await send(3, 0, chunk('a'), chunk('b'))
  writer = (await openTestWriter(id, log)).writer
  expect(await send(3, 0, chunk('a'), chunk('b'), chunk('c'))).toMatchObject({ accepted: 1, duplicates: 2 })
  await expect(send(2, 0, chunk('x'))).rejects.toMatchObject({ code: 'producer_fenced' })
})

test('a session has as many numbering producers as the limit says', async () => {
  const from = (name: string) =>
    writer.publish(toBatch(chunk(name)), publicationOf('stream-event', { producer: name }), {
      ...each,
      claim: { name, epoch: 0, seq: 0 },
    })
  await from('a')
  await from('b')
  await expect(from('c')).rejects.toMatchObject({ code: 'too_many_producers', details: { limit: 2 } })
  expect(await from('a')).toMatchObject({ duplicates: 1 })
})

test('each producer has a decoder of its own, and its name stands in the entries', async () => {
  await send(0, 0, chunk('a'))
  await writer.publish(toBatch(chunk('b')), publicationOf('stream-event'), each)
  expect((await entriesIn(log, id)).map(({ source }) => source.producer)).toEqual(['p', undefined])
})

test('parseProducer() reads a name, an epoch and a number, and nothing else', () => {
  expect(parseProducer('agent-1; epoch=0; seq=41')).toEqual({ name: 'agent-1', epoch: 0, seq: 41 })
  expect(parseProducer(' a ;epoch=12;seq=0 ')).toEqual({ name: 'a', epoch: 12, seq: 0 })
  const wrong = ['', 'a', 'a; epoch=0', 'a; seq=0; epoch=0', 'a; epoch=-1; seq=0', 'a b; epoch=0; seq=0']
  for (const header of [
    ...wrong,
    'ä; epoch=0; seq=0',
    `${'x'.repeat(129)}; epoch=0; seq=0`,
    'a,b; epoch=0; seq=0',
  ])
    expect(() => parseProducer(header)).toThrow(expect.objectContaining({ code: 'bad_request' }))
})
