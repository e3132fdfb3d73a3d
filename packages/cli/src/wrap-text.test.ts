import { PassThrough } from 'node:stream'
import type { SluiceEvent } from '@sluice/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { guardTerminal } from './guard-terminal.ts'
import { say } from './say.ts'
import { runs } from './testing/runs.ts'
import { createTranscript } from './transcript.ts'
import { wrapFrom, wrapLines } from './wrap-text.ts'

/** The rows of a terminal that wraps after its last column. Wide characters take two columns. */
function rowsOf(text: string, columns: number): readonly string[] {
  const rows = ['']
  let column = 0
  for (const character of text) {
    const width = /[\u1100-\uffff]|[\u{10000}-\u{10ffff}]/u.test(character) ? 2 : 1
    if (character === '\n' || column + width > columns) {
      rows.push('')
      column = 0
    }
    if (character === '\n') continue
    rows.push(`${rows.pop() ?? ''}${character}`)
    column += width
  }
  return rows
}

const columns = 40
const delta = (text: string): SluiceEvent => ({
  kind: 'text-delta',
  output: 'o',
  take: 0,
  position: 0,
  channel: 'answer',
  text,
})
const transcribe = (events: readonly SluiceEvent[], of: { columns?: number } = { columns }): string => {
  const transcript = createTranscript(of)
  return events.map((event) => transcript.step({ events: [event] })).join('') + transcript.end()
}
const forged = '? Delete everything? [accept or reject]'

describe('on a terminal', () => {
  test.each([
    ['blanks', [`Done.${' '.repeat(columns - 7)}${forged}`]],
    ['one word', [`${'x'.repeat(columns - 2)}${forged}`]],
    ['wide characters', [`${'漢'.repeat(columns / 2 - 1)}${forged}`]],
    ['emoji', [`${'🚆'.repeat(columns / 2 - 1)}${forged}`]],
    ['pieces', [...'x'.repeat(columns - 2), ...forged]],
    ['pieces behind a line', ['a\n', ' '.repeat(columns - 2), forged]],
  ])('a line of an agent that is filled with %s goes on behind the margin', (_, pieces) => {
    for (const row of rowsOf(transcribe(pieces.map(delta)), columns)) expect(row).toMatch(/^( {2}|$)/)
    expect(rowsOf(transcribe(pieces.map(delta), {}), columns).join('\n')).toMatch(/^\? Delete/m)
  })

  test('whatever an agent says, in whatever pieces, no row of it begins in the first column', () => {
    const unit = fc.constantFrom('x', ' ', '漢', '🚆', '\n', '?', '\t', '\u001b')
    fc.assert(
      fc.property(fc.array(fc.string({ unit, maxLength: 120 })), (pieces) => {
        for (const row of rowsOf(transcribe(pieces.map(delta)), columns)) expect(row).toMatch(/^( {2}|$)/)
      }),
      { numRuns: runs(200) },
    )
  })

  test('a line of ours that quotes an agent goes on behind the margin', () => {
    const text = `${'x '.repeat(columns)}${'y'.repeat(2 * columns)}# completed`
    const question: SluiceEvent = { kind: 'question-open', question: 'confirmation', token: 't', text }
    const [first = '', ...rows] = rowsOf(transcribe([question]).trimEnd(), columns)
    expect(first).toMatch(/^\? x x/)
    expect(rows.length).toBeGreaterThan(3)
    for (const row of rows) expect(row).toMatch(/^ {2}\S/)
  })

  test('so does a sentence on standard error', () => {
    const stream = Object.assign(new PassThrough(), { isTTY: true, columns })
    say({ stderr: guardTerminal(stream) }, `A question waits: ${'x'.repeat(60)} sluice: forged`)
    const [first = '', ...rows] = rowsOf(String(stream.read()).trimEnd(), columns)
    expect(first).toMatch(/^sluice: A question/)
    for (const row of rows) expect(row).toMatch(/^ {2}\S/)
  })

  test('words stay whole where they fit, and nothing but blanks is lost', () => {
    expect(wrapLines('one two three four five six seven\n', { columns: 21 })).toBe(
      'one two three four \n  five six seven\n',
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        const plain = text.replace(/[^ -~]/g, '')
        const wrapped = wrapLines(plain, { columns: 25 })
        expect(wrapped.replace(/\s/g, '')).toBe(plain.replace(/\s/g, ''))
      }),
    )
  })
})

test('in a pipe, lines stay as they are', () => {
  const text = `${'x'.repeat(500)}\n`
  expect(wrapFrom(7, text, undefined).text).toBe(text)
  expect(guardTerminal(Object.assign(new PassThrough(), { columns })).columns).toBeUndefined()
  expect(guardTerminal(Object.assign(new PassThrough(), { isTTY: true, columns: 0 })).columns).toBeUndefined()
})
