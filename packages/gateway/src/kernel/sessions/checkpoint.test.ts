import { createMemoryLog, type Log } from '@sluice/log'
import { foldEntry, type SessionState, type SluiceEvent, type Table, tableValues } from '@sluice/protocol'
import { dialectById, dialects } from '@sluice/protocol/dialects'
import { createDrivenClock } from '@sluice/protocol/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { each, entriesIn, openTestWriter, publicationOf } from '../../testing/open-test-writer.ts'
import { runs } from '../../testing/runs.ts'
import { anyDialect, anyGroups, chunk, published, toBatch, toLines } from '../../testing/sample-lines.ts'
import { keepCheckpoint, restoreCheckpoint } from './checkpoint.ts'
import { loadForWriting, loadState } from './load-state.ts'
import { toInfo } from './session-info.ts'

const id = 'sess_points'
const identity = { id }
const dialectOf = (name: string) => dialects.find((dialect) => dialect.id === name)

/** As plain JSON; a table becomes the list of its values in order, so that its history does not matter. */
const toJson = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_key, member: unknown) => {
    const isTable = typeof member === 'object' && member !== null && 'buckets' in member && 'size' in member
    return isTable ? tableValues(member as Table<unknown>) : member // what has both is a table
  })

/** Publishes line by line; before each line, does what `plan` says. */
async function play(
  log: Log,
  lines: readonly (readonly [dialect: string, line: string])[],
  plan: readonly ('on' | 'rest' | 'crash' | 'leave')[],
): Promise<void> {
  const clock = createDrivenClock()
  let { writer } = await openTestWriter(id, log, { clock })
  for (const [index, [dialect, line]] of lines.entries()) {
    const what = plan[index % plan.length]
    if (what === 'rest' || what === 'leave') await writer.rest()
    if (what === 'crash' || what === 'leave') writer = (await openTestWriter(id, log, { clock })).writer
    clock.advance(3)
    await writer.publish(toBatch(line), publicationOf(dialect), each)
  }
  await writer.rest()
}

const anyLines = fc
  .array(fc.tuple(anyDialect, anyGroups), { minLength: 1, maxLength: 3 })
  .map((parts) =>
    parts.flatMap(([dialect, groups]) =>
      toLines(dialect, id, groups).map((line): readonly [string, string] => [dialect.id, line]),
    ),
  )
const anyPlan = fc.array(fc.constantFrom('on', 'rest', 'crash', 'leave'), { minLength: 1, maxLength: 9 })

describe('opening a session again', () => {
  test('at any entry, from any checkpoints, goes on with the same entries', async () => {
    const property = fc.asyncProperty(anyLines, anyPlan, async (lines, plan) => {
      const whole = createMemoryLog()
      await play(whole, lines, ['on'])
      const broken = createMemoryLog()
      await play(broken, lines, plan as ['on'])
      expect(await entriesIn(broken, id)).toEqual(await entriesIn(whole, id))
    })
    await fc.assert(property, { numRuns: runs(60) })
  })

  test('brings back state and decoders exactly as they were', async () => {
    const property = fc.asyncProperty(anyLines, anyPlan, async (lines, plan) => {
      const kept = createMemoryLog()
      await play(kept, lines, plan as ['on'])
      const head = await kept.head(id)
      const last = head?.lastSeq ?? -1
      const { foreign, context } = toInfo(head?.info ?? {})
      const identity = { id, foreign, context }
      const plain = withoutCheckpoints(kept)
      const fromKept = await loadForWriting({ log: kept, dialectOf, noteId: () => {} }, identity, last)
      const fromEntries = await loadForWriting({ log: plain, dialectOf, noteId: () => {} }, identity, last)
      expect(toJson(fromKept.state)).toEqual(toJson(fromEntries.state))
      expect(toJson(fromKept.decoders)).toEqual(toJson(fromEntries.decoders))
      // Any state in between is the fold of the entries up to it.
      const entries = await entriesIn(kept, id)
      for (const seq of [0, Math.floor(last / 2), last]) {
        let folded = await loadState(plain, identity, { seq: -1 })
        for (const entry of entries.slice(0, seq + 1)) folded = foldEntry(folded, entry)
        expect(toJson(await loadState(kept, identity, { seq }))).toEqual(toJson(folded))
      }
    })
    await fc.assert(property, { numRuns: runs(30) })
  })
})

describe('a checkpoint that cannot be used', () => {
  // Each entry adds something that no later one touches.
  const lines = (count: number): readonly (readonly [string, string])[] =>
    Array.from({ length: count }, (_, index) => [
      'sluice',
      published({
        kind: 'text-delta',
        output: `out-${index}`,
        take: 0,
        position: 0,
        text: `${index} `,
        channel: 'answer',
      }),
    ])

  test.each([
    ['is not JSON', (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 3)],
    ['is empty', () => new Uint8Array()],
    [
      'is of the version before',
      (bytes: Uint8Array) => Buffer.from(Buffer.from(bytes).toString().replace('"v":3', '"v":2')),
    ],
  ])('because it %s costs time and nothing else', async (_name, damage) => {
    const log = createMemoryLog()
    await play(log, lines(12), ['rest'])
    const last = await log.checkpoint(id, 99)
    await log.putCheckpoint(id, { seq: last?.seq ?? 0, bytes: damage(last?.bytes ?? new Uint8Array()) })
    const state = await loadState(log, identity, { seq: 11 })
    expect(toJson(state)).toEqual(toJson(await loadState(withoutCheckpoints(log), identity, { seq: 11 })))
    const { writer } = await openTestWriter(id, log)
    expect(await writer.publish(toBatch(chunk('more')), publicationOf('stream-event'), each)).toMatchObject({
      seq: 12,
    })
  })

  test('because one below it is lost costs time and nothing else', async () => {
    const log = createMemoryLog()
    await play(log, lines(20), ['rest'])
    const seqs: number[] = []
    for (let at = 19; at >= 0; ) {
      const found = await log.checkpoint(id, at)
      if (found === undefined) break
      seqs.push(found.seq)
      at = found.seq - 1
    }
    expect(seqs.length).toBeGreaterThan(5)
    for (const lost of seqs) {
      const holed: Log = {
        ...log,
        checkpoint: async (session, seq) =>
          log.checkpoint(session, seq >= lost && seq < lost + 1 ? lost - 1 : seq),
      }
      expect(toJson(await loadState(holed, identity, { seq: 19 }))).toEqual(
        toJson(await loadState(withoutCheckpoints(log), identity, { seq: 19 })),
      )
    }
  })
})

test('all checkpoints of a long session together stay near the size of its log', async () => {
  const log = createMemoryLog()
  let bytes = 0
  const counting: Log = {
    ...log,
    putCheckpoint: (session, checkpoint) => {
      bytes += checkpoint.bytes.length
      return log.putCheckpoint(session, checkpoint)
    },
  }
  const { writer } = await openTestWriter(id, counting)
  const text = 'word '.repeat(40)
  for (let index = 0; index < 60; index++) {
    const batch = Array.from({ length: 100 }, () => chunk(text))
    await writer.publish(toBatch(...batch), publicationOf('stream-event'), each)
  }
  await writer.rest()
  const stored = (await log.head(id))?.bytes ?? 0
  expect(bytes).toBeGreaterThan(0)
  expect(bytes).toBeLessThan(stored * 2)
})

test('a writer that rests with nothing new keeps no checkpoint', async () => {
  const log = createMemoryLog()
  await play(log, [['stream-event', chunk('a')]], ['on'])
  let puts = 0
  const counting: Log = {
    ...log,
    putCheckpoint: async () => {
      puts += 1
    },
  }
  const { writer } = await openTestWriter(id, counting)
  await writer.rest()
  expect(puts).toBe(0)
})

test('keepCheckpoint() and restoreCheckpoint() carry ids and the decoders of the last one', async () => {
  const log = createMemoryLog()
  await play(log, [['stream-event', chunk('a')]], ['on'])
  const state = await loadState(withoutCheckpoints(log), identity, { seq: 0 })
  const { decoders } = await loadForWriting({ log, dialectOf, noteId: () => {} }, identity, 0)
  const parts = { base: undefined, state, decoders, chain: { full: 0, patches: 0 } }
  const key = 'a key'
  await keepCheckpoint(log, {
    ...parts,
    freshIds: () => ({ key, ids: Uint32Array.of(1, 2) }),
    allIds: () => ({ key, ids: Uint32Array.of(1, 2, 3, 0xffffffff) }),
  })
  const restored = await restoreCheckpoint(log, identity, 5)
  expect(restored.recorded).toEqual({ key, ids: Uint32Array.of(1, 2, 3, 0xffffffff) })
  expect(toJson(restored.decoders)).toEqual(toJson(decoders))
  expect(restored.chain.full).toBeGreaterThan(0)
})

test('restoreCheckpoint() does not mix the ids of two keys', async () => {
  const log = createMemoryLog()
  await play(
    log,
    [
      ['stream-event', chunk('a')],
      ['stream-event', chunk('b')],
    ],
    ['on'],
  )
  const plain = withoutCheckpoints(log)
  const { decoders } = await loadForWriting({ log: plain, dialectOf, noteId: () => {} }, identity, 1)
  let base: SessionState | undefined
  let chain = { full: 0, patches: 0 }
  for (const [seq, key] of ['a key', 'another'].entries()) {
    const state = await loadState(plain, identity, { seq })
    const recorded = () => ({ key, ids: Uint32Array.of(1, 2, 3, 4) })
    chain = await keepCheckpoint(log, {
      ...{ base, state, decoders, chain },
      freshIds: recorded,
      allIds: recorded,
    })
    base = state
  }
  expect(chain.patches).toBeGreaterThan(0)
  expect(await restoreCheckpoint(log, identity, 0)).toMatchObject({ recorded: { key: 'a key' } })
  expect(await restoreCheckpoint(log, identity, 1)).toMatchObject({ recorded: undefined, state: { seq: -1 } })
})

function withoutCheckpoints(log: Log): Log {
  return { ...log, checkpoint: async () => undefined }
}

test('toLines() makes sessions that their dialect reads without a finding', async () => {
  const groups: readonly (readonly SluiceEvent[])[] = [[{ kind: 'session-start', request: 'Do it.' }]]
  for (const dialect of ['aaep', 'a2a', 'sluice']) {
    const { writer } = await openTestWriter(id, createMemoryLog())
    const lines = toLines(dialectById(dialect), id, groups)
    const report = await writer.publish(toBatch(...lines), publicationOf(dialect), each)
    expect(report).toMatchObject({ accepted: lines.length, findings: [] })
  }
})
