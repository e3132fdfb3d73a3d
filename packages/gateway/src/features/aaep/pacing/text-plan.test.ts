import type { Entry, TextDelta } from '@sluice/protocol'
import { expect, test } from 'vitest'
import { defaultTerms } from '../terms.ts'
import { type CutText, createTextCutter, type TextCutter } from './text-cutter.ts'
import { toTextItem } from './text-item.ts'
import { planText } from './text-plan.ts'

/** A cutter that counts the characters that it examines. */
function countingCutter(): TextCutter & { seen: number } {
  const cutter = createTextCutter()
  const counting = {
    ...cutter,
    seen: 0,
    atBoundary(text: CutText, ...rest: [Parameters<TextCutter['atBoundary']>[1], number]) {
      counting.seen += text.text.length
      return cutter.atBoundary(text, ...rest)
    },
    atWord(text: CutText, ...rest: [Parameters<TextCutter['atWord']>[1], number]) {
      counting.seen += text.text.length
      return cutter.atWord(text, ...rest)
    },
  }
  return counting
}

test('a long text is not looked at again from its start for each piece that leaves', () => {
  let text = 'long '.repeat(20_000)
  const whole = text.length
  const delta: TextDelta = { kind: 'text-delta', output: 'a', take: 0, text, position: 0, channel: 'answer' }
  const entry: Entry = {
    seq: 0,
    at: 0,
    source: { dialect: 'sluice' },
    direction: 'event',
    clean: false,
    events: [delta],
    diagnostics: [],
  }
  const piece = { entry, delta, from: 0, empty: 0, offset: 0, isTail: true, isLast: true }
  const cutter = countingCutter()
  let left = 0
  while (text.length > 400) {
    const plan = planText({
      toMonotonic: (at) => at,
      item: toTextItem({ ...piece, text, units: text.length }),
      before: '',
      next: undefined,
      terms: defaultTerms,
      cutter,
      now: 0,
      isForced: false,
      hasMore: false,
    })
    if (plan.type === 'wait') break
    left += plan.characters
    text = text.slice(plan.characters)
  }
  expect(left).toBeGreaterThan(whole - 401)
  expect(cutter.seen).toBeLessThan(4 * whole)
})
