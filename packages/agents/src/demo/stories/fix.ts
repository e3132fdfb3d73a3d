import type { Script } from '../script.ts'
import type { FixWords } from '../words/demo-words.ts'

const failingRun = [
  'FAIL  src/invoice.test.ts',
  '  total() rounds to cents',
  '  expected 19.99, got 20',
].join('\n')
const source = [
  'export function total(lines: readonly Line[]): number {',
  '  return Math.round(lines.reduce((sum, { price, count }) => sum + price * count, 0))',
  '}',
].join('\n')

/** Fixes a failing test, and pushes the fix if somebody says so. */
export function fixStory(words: FixWords): Script {
  return [
    { do: 'plan', items: words.plan },
    { do: 'work', item: 0 },
    {
      do: 'use',
      tools: [
        {
          tool: 'run_tests',
          args: { command: ['npm', 'test'] },
          takesMs: 1800,
          result: failingRun,
          status: 'error',
          exitCode: 1,
        },
      ],
    },
    { do: 'work', item: 1 },
    { do: 'think', text: words.thought },
    {
      do: 'use',
      tools: [
        { tool: 'read_file', args: { path: 'src/invoice.ts' }, takesMs: 200, result: source },
        {
          tool: 'search',
          args: { pattern: 'total\\(', path: 'src' },
          takesMs: 500,
          result: ['src/invoice.ts:1', 'src/invoice.test.ts:8'],
        },
      ],
    },
    { do: 'say', text: words.found },
    {
      do: 'choose',
      text: words.question,
      choices: [
        {
          value: 'end',
          label: words.atEnd,
          words: { rounding: 'Math.round(sum * 100) / 100', where: words.atEnd },
        },
        {
          value: 'line',
          label: words.perLine,
          words: { rounding: 'sum + Math.round(price * count * 100) / 100', where: words.perLine },
        },
      ],
    },
    { do: 'work', item: 2 },
    {
      do: 'use',
      tools: [
        {
          tool: 'edit_file',
          args: { path: 'src/invoice.ts', replace: 'Math.round(…)', with: '{rounding}' },
          takesMs: 400,
          result: { changed: 1 },
        },
      ],
    },
    {
      do: 'fail',
      steps: [
        {
          do: 'use',
          tools: [
            {
              tool: 'run_tests',
              args: { command: ['npm', 'test'] },
              takesMs: 1500,
              result: 'npm: command not found',
              status: 'error',
              exitCode: 127,
            },
          ],
        },
      ],
    },
    {
      do: 'use',
      tools: [
        {
          tool: 'task',
          args: { agent: 'reviewer', prompt: words.review },
          takesMs: 300,
          result: words.reviewed,
          steps: [
            {
              do: 'use',
              tools: [
                { tool: 'read_file', args: { path: 'src/invoice.ts' }, takesMs: 200, result: '{rounding}' },
              ],
            },
            { do: 'say', text: words.reviewed },
          ],
        },
      ],
    },
    { do: 'work', item: 3 },
    {
      do: 'use',
      tools: [
        {
          tool: 'run_tests',
          args: { command: ['npm', 'test'] },
          takesMs: 1800,
          result: '42 passed',
          exitCode: 0,
        },
      ],
    },
    { do: 'say', text: words.fixed },
    { do: 'cite', items: [{ title: 'src/invoice.ts', url: 'https://example.org/repo/src/invoice.ts' }] },
    {
      do: 'confirm',
      text: words.confirm,
      consequence: words.consequence,
      accepted: [
        {
          do: 'use',
          tools: [
            {
              tool: 'push',
              args: { remote: 'origin', branch: 'main' },
              takesMs: 1200,
              result: { commit: '4f2c9e1' },
              isIrreversible: true,
            },
          ],
        },
        { do: 'say', text: words.pushed },
      ],
      refused: [{ do: 'say', text: words.kept }],
    },
    { do: 'work', item: 4 },
  ]
}
