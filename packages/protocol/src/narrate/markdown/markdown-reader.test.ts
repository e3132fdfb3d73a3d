import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../testing/runs.ts'
import { narrationPhrasesFor } from '../phrases/phrases-for.ts'
import { readCode } from './code-block.ts'
import { createMarkdownReader } from './markdown-reader.ts'

const en = narrationPhrasesFor(['en'])

function read(chunks: readonly string[], language?: string): readonly string[] {
  const reader = createMarkdownReader(language === undefined ? en : narrationPhrasesFor([language]), language)
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()].map(({ text }) => text)
}

type Row = readonly [markdown: string, told: readonly string[]]

const table: Readonly<Record<string, readonly Row[]>> = {
  'running text': [
    ['', []],
    ['One. Two.', ['One.', 'Two.']],
    ['Dr. Who paid 3.14 euros. Fine.', ['Dr. Who paid 3.14 euros.', 'Fine.']],
    ['A line\nthat is wrapped. And\nanother.', ['A line that is wrapped.', 'And another.']],
    ['First\n\nSecond', ['First', 'Second']],
    ['Roses are red  \nViolets are blue\\\nEnd', ['Roses are red', 'Violets are blue', 'End']],
    ['Grüße 👩‍👩‍👧 an alle! 🎉', ['Grüße 👩‍👩‍👧 an alle!', '🎉']],
    ['终于完成了。谢谢！', ['终于完成了。', '谢谢！']],
    ['a\r\nb\r\n\r\nc', ['a b', 'c']],
  ],
  headings: [
    ['# The plan', ['Heading: The plan']],
    ['### The *plan* ###\ntext', ['Heading: The plan', 'text']],
    ['The plan\n========\ntext', ['Heading: The plan', 'text']],
    ['The plan\n---\ntext', ['Heading: The plan', 'text']],
    ['#hashtag wins', ['#hashtag wins']],
    ['#\n', []],
  ],
  lists: [
    ['- milk\n- bread\n', ['Bullet: milk', 'Bullet: bread']],
    ['* One. Two.\n+ Three', ['Bullet: One.', 'Two.', 'Bullet: Three']],
    ['1. wash\n2) dry', ['1. wash', '2. dry']],
    ['- a\n  - b\n    - c\n- d', ['Bullet: a', 'Bullet, level 2: b', 'Bullet, level 3: c', 'Bullet: d']],
    ['- a line\n  that goes on\n\n  and on', ['Bullet: a line that goes on', 'and on']],
    ['- [x] built\n- [ ] tested', ['Bullet, done: built', 'Bullet, not done: tested']],
    ['- **Bold.** Rest', ['Bullet: Bold.', 'Rest']],
    ['-5 degrees', ['-5 degrees']],
    ['3.5 litres', ['3.5 litres']],
    ['2024 was long', ['2024 was long']],
  ],
  quotations: [
    ['> Be brief.\n> Be gone.', ['Quote: Be brief.', 'Be gone.']],
    ['Text\n> quoted\nlazily on\n\nText', ['Text', 'Quote: quoted lazily on', 'Text']],
    ['> - item', ['Bullet: item']],
    ['> ```js\n> a()\n> ```\nback', ['Code block, 1 line, JavaScript.', 'back']],
  ],
  code: [
    ['```ts\na\n\nb\n```\n', ['Code block, 3 lines, TypeScript.']],
    ['~~~\na\n~~~', ['Code block, 1 line.']],
    ['````md\n```\ninner\n```\n````', ['Code block, 3 lines, Markdown.']],
    ['Look:\n```brainfuck title="x"\n+\n```\nDone', ['Look:', 'Code block, 1 line, brainfuck.', 'Done']],
    ['```python\nprint(1)\n# never ends', ['Code block, 2 lines, Python, unfinished.']],
    ['- run\n  ```sh\n  ls\n  ```', ['Bullet: run', 'Code block, 1 line, shell.']],
    ['Use `npm test` here.', ['Use npm test here.']],
    ['``a ` b`` and `*c*`', ['a ` b and *c*']],
    ['```\n```', ['Code block, 0 lines.']],
  ],
  tables: [
    [
      '| Name | Age |\n| --- | :-: |\n| Ada | 36 |\n| *Bob* | |\n\nEnd',
      ['Table, 2 columns: Name, Age.', 'Name: Ada, Age: 36.', 'Name: Bob.', 'End'],
    ],
    ['a | b\n--|--\n1 | 2', ['Table, 2 columns: a, b.', 'a: 1, b: 2.']],
    ['| a |\n|---|\n| x \\| y |', ['Table, 1 column: a.', 'a: x | y.']],
    ['| no table |\nat all', ['| no table | at all']],
    ['this | that', ['this | that']],
  ],
  'links and images': [
    ['See [the guide](https://a.org/b_c_d) now.', ['See the guide, link now.']],
    ['[**bold**](x) and [ref][1]\n\n[1]: https://a.org', ['bold, link and ref, link']],
    ['![A red house](h.png "t")', ['image: A red house']],
    ['![](h.png)', ['image']],
    ['At https://www.example.org/a/b?c=d#e.', ['At example.org.']],
    ['(<https://example.org/x>)', ['(example.org)']],
    ['https://user:pass@Example.org:8080?q', ['example.org']],
    ['https://good.org@bad.org@evil.org\\@good.org/', ['evil.org']],
    ['http://[::1]:80/x', ['[::1]']],
    ['http://?', ['http://?']],
    ['[![badge](b.svg)](https://a.org)', ['image: badge, link']],
    ['an [open bracket', ['an [open bracket']],
  ],
  emphasis: [
    ['**Note. Two sentences.** Then *one*.', ['Note.', 'Two sentences.', 'Then one.']],
    ['***all*** ~~gone~~ __strong__ _weak_', ['all gone strong weak']],
    ['2 * 3 * 4 and snake_case_name', ['2 * 3 * 4 and snake_case_name']],
    ['\\*not\\* &amp; <br> done', ['*not* & done']],
    ['**never closed. And on.', ['**never closed.', 'And on.']],
  ],
  rules: [['a\n\n---\n\nb\n* * *\nc', ['a', 'b', 'c']]],
  'what could harm a terminal': [['a\u001b[31mred\u0007 \u202eb', ['a[31mred b']]],
}

describe.each(Object.entries(table))('%s', (_, rows) => {
  test.each(rows)('%j is told as %j', (markdown, told) => {
    expect(read([markdown])).toEqual(told)
    expect(read([...markdown])).toEqual(told)
  })
})

test('the words around the text are in the language of the listener', () => {
  expect(read(['# Plan\n- Brot\n```ts\na\n```'], 'de')).toEqual([
    'Überschrift: Plan',
    'Punkt: Brot',
    'Codeblock, 1 Zeile, TypeScript.',
  ])
})

test('a sentence is told before its paragraph is over, and a block when it is complete', () => {
  const reader = createMarkdownReader(en)
  const push = (text: string) => reader.push(text).map((utterance) => utterance.text)
  expect(push('One sentence. And ')).toEqual(['One sentence.'])
  expect(push('two. ')).toEqual(['And two.'])
  expect(push('\n\n```ts\nconst a')).toEqual([])
  expect(push(' = 1\n``')).toEqual([])
  expect(push('`\n')).toEqual(['Code block, 1 line, TypeScript.'])
  expect(push('- an item. Its second')).toEqual(['Bullet: an item.'])
})

test('an interruption tells what is there, and the rest goes on', () => {
  const reader = createMarkdownReader(en)
  const said = [
    reader.push('- Let me look'),
    reader.interrupt(),
    reader.interrupt(),
    reader.push(' at it. ```'),
    reader.end(),
  ]
  expect(said.map((utterances) => utterances.map(({ text }) => text))).toEqual([
    [],
    ['Bullet: Let me look'],
    [],
    ['at it.'],
    ['```'],
  ])
})

test('a block of code is kept for reading', () => {
  const reader = createMarkdownReader(en)
  const [block] = reader.push('```py\nif a:\n  b()\n\n```\n')
  expect(block?.code === undefined ? undefined : readCode(block.code, en).map(({ text }) => text)).toEqual([
    'if a:',
    '  b()',
    'Blank line.',
    'End of code.',
  ])
})

test('rows below no head are told as they come', () => {
  const reader = createMarkdownReader(en)
  const row = '| a | b |'
  const told = Array.from({ length: 500 }, () => reader.push(`${row}\n`)).flat()
  expect(told.length).toBeGreaterThan(1)
  const texts = [...told, ...reader.end()].map(({ text }) => text)
  expect(texts.join(' ')).toBe(Array.from({ length: 500 }, () => row).join(' '))
})

const fragment = fc.oneof(
  fc.constantFrom(
    ...['# ', '- ', '1. ', '> ', '```', '```ts\n', '\n', '\n\n', '| a | b |\n', '|--|--|\n', '**', '*', '_'],
    ...[
      '`',
      '[a](b)',
      '![',
      '](',
      '~~~',
      '---\n',
      '===\n',
      '  ',
      '. ',
      '\r\n',
      'https://a.b/c ',
      '\\',
      '<br>',
    ],
  ),
  fc.lorem({ maxCount: 3 }),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
)
const markdown = fc.array(fragment, { maxLength: 30 }).map((parts) => parts.join(''))

test('any chunking tells the same, one line each', () => {
  fc.assert(
    fc.property(markdown, fc.array(fc.nat(200)), (text, cuts) => {
      const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b)
      const chunks = [...at, text.length].map((end, index) => text.slice(at[index - 1] ?? 0, end))
      const told = read(chunks)
      expect(told.join(' ')).toBe(read([text]).join(' '))
      for (const line of told) expect(line).toMatch(/^\S.*$|^\S$/u)
    }),
    { numRuns: runs(300) },
  )
})
