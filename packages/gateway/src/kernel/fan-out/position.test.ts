import {
  type Cursor,
  type Entry,
  formatCursor,
  parseCursor,
  type SluiceEvent,
  startCursor,
  type TextDelta,
} from '@sluice/protocol'
import { dialectById } from '@sluice/protocol/dialects'
import { describe, expect, test } from 'vitest'
import { playedId, playSession } from '../../testing/played-session.ts'
import { makeEntries } from '../../testing/sample-lines.ts'
import { cursorOf, enterAt, type Stepped, stepEntry, type ViewSpec } from './position.ts'
import { dialectView, inputsView } from './view-spec.ts'

const sluice = dialectView(dialectById('sluice'), undefined)
const aaep = dialectView(dialectById('aaep'), undefined)
const bySentence = dialectView(dialectById('aaep'), { unit: 'sentence' })

const think = (text: string): TextDelta => ({
  kind: 'text-delta',
  output: 'thought',
  take: 0,
  position: 0,
  text,
  channel: 'reasoning',
})

const toEntries = (...groups: readonly (readonly SluiceEvent[])[]): readonly Entry[] =>
  makeEntries(playedId, [[{ kind: 'session-start' }], ...groups])

/** The positions and frames of a reader, entry by entry. */
async function readSteps(
  spec: ViewSpec,
  entries: readonly Entry[],
  at: Cursor,
): Promise<readonly Stepped[] | undefined> {
  const session = playSession({ script: entries, limits: { sliceBytes: 1, ringBytes: 0 }, ringsBytes: 0 })
  session.append(entries.length)
  const entered = await enterAt(spec, session, at)
  if (entered === undefined) return undefined
  const steps: Stepped[] = [{ position: entered.position, frames: [...entered.joining(), ...entered.rest] }]
  let { position } = entered
  for (const entry of entries.slice(position.seq + 1)) {
    const stepped = stepEntry(spec, position, entry)
    steps.push(stepped)
    position = stepped.position
  }
  return steps
}

async function framesFrom(
  spec: ViewSpec,
  entries: readonly Entry[],
  cursor: string,
): Promise<readonly string[]> {
  const steps = await readSteps(spec, entries, parseCursor(cursor))
  if (steps === undefined) throw new Error(`nothing is at ${cursor}`)
  return steps.flatMap(({ frames }) => frames).map((frame) => formatCursor(frame.cursor))
}

describe('enterAt()', () => {
  const entries = toEntries(
    [think('What now? Let us see.')],
    [{ kind: 'text-end', output: 'thought', take: 0 }],
  )

  test('continues inside an event in its own dialect', async () => {
    expect(await framesFrom(aaep, entries, '-1')).toEqual(['0', '1.0.aaep.1', '1', '2'])
    expect(await framesFrom(aaep, entries, '1.0.aaep.1')).toEqual(['1', '2'])
    expect(await framesFrom(bySentence, entries, '1.0.aaep.1')).toEqual(['1.10', '1', '2'])
  })

  test.each([
    ['of another dialect', '1.0.agent-event.1'],
    ['of a dialect that is unknown', '1.0.vanished.7'],
    ['of an earlier version, which named no dialect', '1.0.1'],
    ['that this version does not send', '1.0.aaep.9'],
  ])('sends the whole event after frames %s', async (_, cursor) => {
    for (const spec of [sluice, aaep, bySentence])
      expect(await framesFrom(spec, entries, cursor)).toEqual(await framesFrom(spec, entries, '1.0'))
    expect(await framesFrom(aaep, entries, cursor)).toEqual(['1.0.aaep.1', '1', '2'])
    expect(await framesFrom(sluice, entries, cursor)).toEqual(['1', '2'])
  })

  test('stands after pieces without text in every view, and after no more than there are', async () => {
    const pieces = toEntries([think(''), think(''), think('Hm.')])
    expect(await framesFrom(sluice, pieces, '1.0.e1')).toEqual(['1'])
    expect(await framesFrom(aaep, pieces, '-1')).toEqual(['0', '1.0.aaep.1', '1.0.e1', '1.0.e2', '1'])
    expect(await framesFrom(aaep, pieces, '1.0.e1')).toEqual(['1.0.e2', '1'])
    expect(await framesFrom(aaep, pieces, '1.0.e9')).toEqual(['1'])
  })

  test('stands after an entry of which all units were delivered', async () => {
    expect(await framesFrom(sluice, entries, '1.21')).toEqual(['2'])
  })
})

describe('cursorOf()', () => {
  test('never goes back before a frame of text that is held', async () => {
    const entries = toEntries([think(''), think('What')], [think(' now? ')], [think('Well.')])
    const steps = (await readSteps(bySentence, entries, startCursor)) ?? []
    expect(steps.map(({ position }) => formatCursor(cursorOf(position)))).toEqual([
      '-1',
      '0',
      '1.0.e1',
      '1.0.e1',
      '2',
    ])
  })

  test('keeps the frames that were delivered of an event until the rest of it is sent', async () => {
    const entries = toEntries([think('What')], [think(' now? ')], [think('Well.')])
    const steps = (await readSteps(bySentence, entries, parseCursor('1.0.aaep.1'))) ?? []
    expect(steps.map(({ position }) => formatCursor(cursorOf(position)))).toEqual([
      '1.0.aaep.1',
      '1.0.aaep.1',
      '2',
    ])
  })
})

test('the inputs of one entry have a cursor each', async () => {
  const ask = (token: string): SluiceEvent => ({
    kind: 'question-open',
    question: 'confirmation',
    token,
    text: 'Go on?',
  })
  const reject = (token: string): SluiceEvent => ({
    kind: 'question-close',
    token,
    how: 'timeout',
    decision: 'reject',
  })
  const entries = toEntries([ask('a'), ask('b'), ask('c')], [reject('a'), reject('b'), reject('c')]).map(
    (entry): Entry => (entry.seq === 2 ? { ...entry, direction: 'system' } : entry),
  )
  expect(await framesFrom(inputsView, entries, '-1')).toEqual(['2.1', '2.2', '2'])
  expect(await framesFrom(inputsView, entries, '2.1')).toEqual(['2.2', '2'])
})
