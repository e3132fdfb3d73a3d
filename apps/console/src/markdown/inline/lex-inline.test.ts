import { describe, expect, test } from 'vitest'
import { noDefinitions } from './definitions.ts'
import { inlineWork, maxInlineWork } from './inline-work.ts'
import { lexInline } from './lex-inline.ts'
import type { Span } from './span.ts'

const lex = (source: string) => lexInline(source, noDefinitions)
const text = (content: string): Span => ({ kind: 'text', text: content })

describe('lexInline()', () => {
  test.each<[string, readonly Span[]]>([
    ['', []],
    ['a b', [text('a b')]],
    ['a \\* b &amp; c', [text('a * b & c')]],
    ['*a **b***', [{ kind: 'emphasis', spans: [text('a '), { kind: 'strong', spans: [text('b')] }] }]],
    ['`*a*`', [{ kind: 'code', text: '*a*' }]],
    ['a<i>b', [text('a<i>b')]],
    ['[a', [text('[a')]],
  ])('%j', (source, spans) => expect(lex(source)).toEqual(spans))

  test('what is nested too deep is text', () => {
    const source = `${'*a _b '.repeat(20)}x${' b_ a*'.repeat(20)}`
    expect(JSON.stringify(lex(source)).match(/"emphasis"/g)).toHaveLength(20)
  })

  test('what is too long is left as it is', () => {
    expect(lex('*a*'.repeat(11_000))).toBe('*a*'.repeat(11_000))
  })

  test('what is too much work is read line by line', () => {
    const source = '**Name**: value\n'.repeat(300)
    expect(inlineWork(source)).toBeGreaterThan(maxInlineWork)
    const spans = lex(source)
    expect(spans.length).toBe(600)
    expect(spans.slice(0, 2)).toEqual([{ kind: 'strong', spans: [text('Name')] }, text(': value\n')])
  })

  test('a line that is too much work is text, and others are not', () => {
    const line = `${'_'.repeat(4000)}\n`
    expect(lex(`${line}*a*\n${line}`)).toEqual([
      text(line),
      { kind: 'emphasis', spans: [text('a')] },
      text('\n'),
      text(line),
    ])
  })

  test.each([
    '*',
    '_',
    '~',
    '`',
    '[',
    ']',
    '<',
    '>',
    '!',
    '\\',
    '&',
    '|',
    '(',
    'a_',
    '*a',
    '***a.',
    '[a](',
    'www.a(',
  ])('never does more than is allowed: many %j', (mark) => {
    for (const length of [100, 1000, 10_000, 32_768]) {
      const source = mark.repeat(length / mark.length)
      const spans = lex(source)
      const wasRead = inlineWork(source) <= maxInlineWork
      if (!wasRead) expect(spans).toEqual([text(source)])
    }
  })
})

describe('inlineWork()', () => {
  test('is zero for text without marks', () =>
    expect(inlineWork('Plain text, of any length. '.repeat(100))).toBe(0))
  test('allows the marks of a paragraph that people read', () => {
    const prose =
      'Some **bold** words, some `code`, and [a link](https://a.b/c) in a sentence of usual length. '
    expect(inlineWork(prose.repeat(40))).toBeLessThan(maxInlineWork)
  })
})
