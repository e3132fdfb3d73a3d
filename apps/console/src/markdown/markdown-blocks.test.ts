import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ReadInline } from './blocks/work.ts'
import { lexInline } from './inline/lex-inline.ts'
import { nothingRead, type Reading, readBlocks } from './markdown-blocks.ts'
import { describeBlocks } from './testing/describe-blocks.ts'
import { growingText } from './testing/hostile-text.ts'
import { writtenText } from './testing/written-blocks.ts'

const runs = (base: number): number => base * Number(process.env['SLUICE_ROUNDS'] ?? 1)
const read = (text: string, { isOpen = false }: { readonly isOpen?: boolean | undefined } = {}): string =>
  describeBlocks(readBlocks(nothingRead, text, { isOpen }).blocks)

const documents: Record<string, readonly (readonly [text: string, blocks: string])[]> = {
  'paragraphs and headings': [
    ['', ''],
    ['\n \n\t\n', ''],
    ['a\n b\n\nc', 'p(a⏎b) p(c)'],
    ['a\r\nb\r\n\r\nc', 'p(a⏎b) p(c)'],
    ['# One\ntext\n### Two ##\n#no', 'h1(One) p(text) h3(Two) p(#no)'],
    ['#\n####### seven', 'h1() p(####### seven)'],
    ['Title\n=====\nSub\n---\ntext', 'h1(Title) h2(Sub) p(text)'],
    ['a\n***\nb\n- - -\n___', 'p(a) hr p(b) hr hr'],
  ],
  code: [
    ['```js title\na\n\n  b\n```\nc', 'codejs(a⏎⏎  b) p(c)'],
    ['text\n~~~\n```\n~~~~\n', 'p(text) code(```)'],
    ['  ```\n    a\n b\n  ```', 'code(  a⏎b)'],
    ['````\n```\n````', 'code(```)'],
    ['```\nnot closed\n\n# a', 'code(not closed⏎⏎# a)'],
    ['``` a`b\nc', 'p(``` a`b⏎c)'],
    ['```x"><script>\n```', 'codex()'],
    ['    a\n\n\n      b\n\nc', 'code(a⏎⏎⏎  b) p(c)'],
    ['a\n    b', 'p(a⏎b)'],
  ],
  lists: [
    ['- a\n- b\n\n- c', 'ul(li(p(a)) li(p(b)) li(p(c)))'],
    ['- a\n- - -\n* b\n* * *', 'ul(li(p(a))) hr ul(li(p(b))) hr'],
    ['- a\n* b\n+ c', 'ul(li(p(a))) ul(li(p(b))) ul(li(p(c)))'],
    ['3. a\n4. b\n1) c', 'ol3(li(p(a)) li(p(b))) ol1(li(p(c)))'],
    ['- a\n\n  b\n  - c\n\nd', 'ul(li(p(a) p(b) ul(li(p(c))))) p(d)'],
    ['- a\nlazy\n# no', 'ul(li(p(a⏎lazy))) h1(no)'],
    ['1. a\n```\nb\n```\n2. c', 'ol1(li(p(a))) code(b) ol2(li(p(c)))'],
    ['1. a\n\n   ```\n   b\n   ```\n2. c', 'ol1(li(p(a) code(b)) li(p(c)))'],
    ['- [x] a\n- [ ] b\n- [x]', 'ul(li[x](p(a)) li[ ](p(b)) li(p([x])))'],
    ['-\n  a\n-\n\n  b', 'ul(li(p(a)) li()) p(b)'],
    ['text\n2. a', 'p(text⏎2. a)'],
    ['text\n1. a', 'p(text) ol1(li(p(a)))'],
    ['-\ta\n\tb', 'ul(li(p(a⏎b)))'],
  ],
  quotes: [
    ['> a\nlazy\n> b\n\nc', 'quote(p(a⏎lazy⏎b)) p(c)'],
    ['> a\n===', 'quote(p(a⏎===))'],
    ['> a\n---', 'quote(p(a)) hr'],
    ['> - a\n> - b\n- c', 'quote(ul(li(p(a)) li(p(b)))) ul(li(p(c)))'],
    ['> ```\n> a\nb', 'quote(code(a)) p(b)'],
    ['>> a\n> b', 'quote(quote(p(a⏎b)))'],
  ],
  tables: [
    ['| a | b |\n|---|:-:|\n| 1 |\n| 2 | x\\|y | z |\nend\n\nc', 'table(a|b / 1| / 2|x|y | z / end|) p(c)'],
    ['text\n| a |\n|---|\n| 1 |\n- b', 'p(text) table(a / 1) ul(li(p(b)))'],
    ['| a | b |\n|---|', 'p(| a | b |⏎|---|)'],
    ['a\n:-:', 'table(a)'],
    ['- | a |\n  |---|\n  | 1 |', 'ul(li(table(a / 1)))'],
  ],
  'HTML, which is text': [
    ['<div>\n*a*\n\n*b*', 'text(<div>⏎*a*) p(b)'],
    ['<!-- a\n\n# b -->\nc', 'text(<!-- a⏎⏎# b -->) p(c)'],
    ['a\n<script>\nx\n\ny</script>\nb', 'p(a) text(<script>⏎x⏎⏎y</script>) p(b)'],
    ['<b>a</b>', 'p(<b>a</b>)'],
  ],
  'definitions, which are nothing': [
    ['[a]: https://a.b "t"\n\nx [a]', 'p(x a)'],
    ['[a]: /b\n[c]: <d> (e)\ntext', 'p(text)'],
    ['[a]: /b\n===', 'p(===)'],
    ['a\n[b]: /c', 'p(a⏎[b]: /c)'],
  ],
}

describe.each(Object.entries(documents))('readBlocks() finds %s', (_, rows) => {
  test.each(rows)('%j', (text, blocks) => expect(read(text)).toBe(blocks))
})

test('readBlocks() finds again what was written, in one another to any depth', () => {
  fc.assert(
    fc.property(writtenText, fc.constantFrom('\n', '\r\n'), ({ lines, blocks }, lineEnd) => {
      expect(read(lines.join(lineEnd))).toBe(blocks)
    }),
    { numRuns: runs(500) },
  )
})

describe('readBlocks() of a text that grows', () => {
  test('comes to the same blocks, whatever the steps', () => {
    fc.assert(
      fc.property(growingText, fc.boolean(), (texts, isOpen) => {
        const steps = texts.reduce<Reading>(
          (reading, text) => readBlocks(reading, text, { isOpen: true }),
          nothingRead,
        )
        const text = texts.at(-1) ?? ''
        const last = readBlocks(steps, text, { isOpen })
        expect(last.blocks).toEqual(readBlocks(nothingRead, text, { isOpen }).blocks)
      }),
      { numRuns: runs(1500) },
    )
  })

  test('keeps what has ended: the same blocks, items and rows', () => {
    const text = documentOf(6)
    let before = nothingRead
    for (const end of lineEndsOf(text)) {
      const after = readBlocks(before, text.slice(0, end), { isOpen: true })
      const [was, is] = [before.blocks.flat(), after.blocks.flat()]
      for (const [index, block] of was.slice(0, -1).entries()) expect(is[index]).toBe(block)
      const [open, grown] = [was.at(-1), is[was.length - 1]]
      if (open?.kind === 'list' && grown?.kind === 'list') {
        for (const [index, item] of open.items.flat().slice(0, -1).entries())
          expect(grown.items.flat()[index]).toBe(item)
      }
      if (open?.kind === 'table' && grown?.kind === 'table') {
        for (const [index, row] of open.rows.flat().entries()) expect(grown.rows.flat()[index]).toBe(row)
      }
      before = after
    }
    expect(describeBlocks(before.blocks)).toBe(read(text))
  })

  test('keeps the key of a block from its first character on', () => {
    const text = 'One\n\n- two\n- three\n\n> four\n\n```\nfive\n'
    const keys = lineEndsOf(text).map((end) =>
      readBlocks(nothingRead, text.slice(0, end), { isOpen: true })
        .blocks.flat()
        .map(({ key }) => key),
    )
    for (const list of keys) expect(list).toEqual(keys.at(-1)?.slice(0, list.length))
  })

  test('starts anew when it becomes another text', () => {
    const reading = readBlocks(nothingRead, '# one\n\ntwo', { isOpen: true })
    for (const text of ['# one', '# One\n\ntwo', '', '- three\n- four\n- five']) {
      expect(readBlocks(reading, text, { isOpen: true })).toEqual(
        readBlocks(nothingRead, text, { isOpen: true }),
      )
    }
  })

  test('takes the definitions that stand before each place', () => {
    const link = '[a]\n\n[a]: https://b.c\n\n[a]'
    const first = readBlocks(nothingRead, '[a]', { isOpen: true })
    expect(readBlocks(first, link, { isOpen: true }).blocks).toEqual(
      readBlocks(nothingRead, link, { isOpen: true }).blocks,
    )
  })

  test('is the same object when nothing changed', () => {
    const reading = readBlocks(nothingRead, 'a *b*', { isOpen: true })
    expect(readBlocks(reading, 'a *b*', { isOpen: true })).toBe(reading)
  })

  test.each([
    ['text\n-', 'p(text)'],
    ['text\n---', 'p(text)'],
    ['| a |\n|--', 'p(| a |)'],
    ['1. a\n2', 'ol1(li(p(a)))'],
    ['```\na\n``', 'code(a)'],
    ['```\n---', 'code(---)'],
    ['42', 'p(42)'],
    ['-'.repeat(300), 'hr'],
    ['text\n- b', 'p(text) ul(li(p(b)))'],
  ])('holds a mark back whose meaning is not known: %j', (text, blocks) =>
    expect(read(text, { isOpen: true })).toBe(blocks),
  )
})

describe('readBlocks() does no work twice', () => {
  /** How many characters of running text each step read. */
  function workOf(text: string, step: number): readonly number[] {
    let characters = 0
    const readInline: ReadInline = (source, definitions) => {
      characters += source.length
      return lexInline(source, definitions)
    }
    const work: number[] = []
    let reading = nothingRead
    for (let end = step; end < text.length + step; end += step) {
      characters = 0
      reading = readBlocks(reading, text.slice(0, end), { isOpen: true, readInline })
      work.push(characters)
    }
    characters = 0
    readBlocks(reading, text, { isOpen: false, readInline })
    return [...work, characters]
  }

  const longest = 120
  test.each([
    ['paragraphs', `${'A few words of *text* here, '.repeat(4)}\n\n`],
    ['items', '- an item with **bold** words\n'],
    ['loose items', '1. an item\n\n   and its second paragraph\n\n'],
    ['nested items', '- an item\n  - with `another`\n    - and another\n'],
    ['rows', '| a | b |\n|---|---|\n| one cell | *another* |\n| one more | x |\n\n'],
    ['quotes', '> a line\n>\n> and *another* one\n\n'],
    ['code', 'Text:\n```js\nconst a = 1\n\nconst b = 2\n```\n'],
  ])('a step reads the open line and block alone: %s', (_, part) => {
    for (const count of [10, 100]) {
      const work = workOf(part.repeat(count), 7)
      expect(Math.max(...work)).toBeLessThanOrEqual(longest)
      expect(work.at(-1)).toBeLessThanOrEqual(longest)
    }
  })

  test('a block that has just ended is not read again while the line below it grows', () => {
    const words = 'some *words* '.repeat(20)
    const work = workOf(`${words}\n# A heading that grows by one character at a time`, 1)
    expect(Math.max(...work.slice(words.length + 5))).toBeLessThan(50)
  })

  test('a line without an end is read only while it is short', () => {
    const work = workOf('a '.repeat(50_000), 1000)
    expect(Math.max(...work)).toBeLessThanOrEqual(32_768)
    expect(work.at(-2)).toBe(0)
  })

  test('code is never read as text', () => {
    expect(
      workOf(`\`\`\`\n${'*a* '.repeat(30)}\n`.padEnd(50_000, '*b*\n'), 1000).every((count) => count === 0),
    ).toBe(true)
  })
})

describe('readBlocks() is bounded', () => {
  const kindOf = (text: string): unknown =>
    readBlocks(nothingRead, text, { isOpen: false }).blocks[0]?.[0]?.kind

  test('a block that is too long is text', () => {
    expect(kindOf('*a* '.repeat(8192))).toBe('paragraph')
    expect(kindOf('*a* '.repeat(8193))).toBe('text')
    expect(kindOf('*a*\n'.repeat(8193))).toBe('text')
    expect(kindOf(`${'*a* '.repeat(8193)}\n===`)).toBe('text')
  })

  test('code of any length is code', () => {
    const [[block] = []] = readBlocks(nothingRead, `\`\`\`\n${'a\n'.repeat(100_000)}`, {
      isOpen: false,
    }).blocks
    expect(block?.kind === 'code' && block.pieces.length).toBe(199_999)
  })

  test('what is nested too deep is text', () => {
    const quotes = readBlocks(nothingRead, `${'> '.repeat(21)}a`, { isOpen: false }).blocks
    expect(describeBlocks(quotes)).toBe(`${'quote('.repeat(20)}p(> a)${')'.repeat(20)}`)
    for (const mark of ['>', '- ', '1. ', '> - ']) expect(() => read(mark.repeat(100_000))).not.toThrow()
  })

  test('a table that is too wide is text', () => {
    const table = (columns: number): string => `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|`
    expect(kindOf(table(100))).toBe('table')
    expect(kindOf(table(101))).toBe('paragraph')
  })

  test.each(['a\n\n', '- a\n', '- a\n  - b\n', '> a\n>\n', '|a|\n|-|\n', '#\n'])(
    'blocks have a number that they do not exceed: %j',
    (part) => {
      const { count, blocks } = readBlocks(nothingRead, part.repeat(15_000), { isOpen: false })
      expect(count).toBeGreaterThanOrEqual(10_000)
      expect(count).toBeLessThanOrEqual(10_100)
      expect(describeBlocks(blocks)).toMatch(/text\(/)
    },
  )

  test('nothing behind the last block is lost', () => {
    const text = `${'a\n\n'.repeat(10_000)}last\n\n- one\n`
    expect(read(text)).toMatch(/ text\(last⏎⏎- one\)$/)
  })
})

function documentOf(sections: number): string {
  const part = `# Title

Some *text* with a [link](https://a.b).
More of it.

- one
- two
  - inside

  again
- three

| a | b |
|---|---|
| 1 | 2 |
| 3 | 4 |

> quoted
> text

\`\`\`js
code()

more()
\`\`\`
1. first
2. second

`
  return part.repeat(sections)
}

function lineEndsOf(text: string): readonly number[] {
  return [...text.matchAll(/\n/g)].map(({ index }) => index + 1)
}
