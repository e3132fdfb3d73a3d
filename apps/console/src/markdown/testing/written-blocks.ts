import fc from 'fast-check'

/** Markdown as a careful author writes it, and the `describeBlocks()` of it. */
export interface Written {
  readonly lines: readonly string[]
  readonly blocks: string
}

const word = fc.constantFrom('one', 'two', 'three', 'four')
const words = fc.array(word, { minLength: 1, maxLength: 3 }).map((list) => list.join(' '))

const paragraph = fc
  .array(words, { minLength: 1, maxLength: 3 })
  .map((lines) => ({ lines, blocks: `p(${lines.join('⏎')})` }))
const heading = fc
  .tuple(fc.integer({ min: 1, max: 6 }), words)
  .map(([depth, text]) => ({ lines: [`${'#'.repeat(depth)} ${text}`], blocks: `h${depth}(${text})` }))
const rule = fc.constant({ lines: ['___'], blocks: 'hr' })
const code = fc
  .array(fc.oneof(words, fc.constantFrom('', '# no', '- no', '> no', '| no |', '  in')), { maxLength: 4 })
  .map((lines) => ({ lines: ['```js', ...lines, '```'], blocks: `codejs(${lines.join('⏎')})` }))
const table = fc
  .tuple(word, word, fc.array(fc.tuple(word, word), { maxLength: 3 }))
  .map(([left, right, rows]) => ({
    lines: [`| ${left} | ${right} |`, '|---|:-:|', ...rows.map((row) => `| ${row.join(' | ')} |`)],
    blocks: `table(${[[left, right], ...rows].map((row) => row.join('|')).join(' / ')})`,
  }))

const separate = (parts: readonly (readonly string[])[]): readonly string[] =>
  parts.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]))

function quote(inside: readonly Written[]): Written {
  const lines = separate(inside.map((each) => each.lines)).map((line) => (line === '' ? '>' : `> ${line}`))
  return { lines, blocks: `quote(${inside.map(({ blocks }) => blocks).join(' ')})` }
}

function list(
  marks: readonly string[],
  name: string,
  { items, isLoose }: { readonly items: readonly (readonly Written[])[]; readonly isLoose: boolean },
): Written {
  const parts = items.map((inside, index) => {
    const mark = marks[index] ?? ''
    const rest = separate(inside.map(({ lines }) => lines))
    return rest.map((line, place) =>
      place === 0 ? mark + line : line === '' ? '' : ' '.repeat(mark.length) + line,
    )
  })
  const blocks = items.map((inside) => `li(${inside.map((each) => each.blocks).join(' ')})`).join(' ')
  return { lines: isLoose ? separate(parts) : parts.flat(), blocks: `${name}(${blocks})` }
}

function writtenBlocks(depth: number): fc.Arbitrary<readonly Written[]> {
  const leaves = [paragraph, heading, rule, code, table]
  if (depth === 0) return fc.array(fc.oneof(...leaves), { minLength: 1, maxLength: 2 })
  const inside = writtenBlocks(depth - 1)
  const items = fc.array(inside, { minLength: 1, maxLength: 3 })
  const bullets = fc
    .tuple(fc.constantFrom('- ', '*   ', '+ '), items, fc.boolean())
    .map(([mark, each, isLoose]) =>
      list(
        each.map(() => mark),
        'ul',
        { items: each, isLoose },
      ),
    )
  const numbers = fc
    .tuple(fc.integer({ min: 1, max: 98 }), items, fc.boolean())
    .map(([start, each, isLoose]) =>
      list(
        each.map((_, index) => `${start + index}. `),
        `ol${start}`,
        { items: each, isLoose },
      ),
    )
  // Two lists in a row could be read as one.
  return fc
    .array(fc.oneof(...leaves, inside.map(quote), bullets, numbers), { minLength: 1, maxLength: 3 })
    .map((all) => all.flatMap((each) => [each, { lines: ['# end'], blocks: 'h1(end)' }]))
}

/** Whole texts. */
export const writtenText: fc.Arbitrary<Written> = writtenBlocks(3).map((all) => ({
  lines: separate(all.map(({ lines }) => lines)),
  blocks: all.map(({ blocks }) => blocks).join(' '),
}))
