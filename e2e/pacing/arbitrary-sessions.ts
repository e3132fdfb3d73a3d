import type { Entry } from '@sluice/protocol'
import fc from 'fast-check'
import type { Terms, TextBoundary } from '../../packages/gateway/src/features/aaep/terms.ts'
import { anyEntries } from '../../packages/protocol/src/testing/arbitrary-events.ts'
import { richSession } from '../../packages/protocol/src/testing/rich-session.ts'
import { entriesOf } from '../../packages/protocol/src/testing/sessions.ts'
import { timed } from './simulate.ts'

export const anyTerms: fc.Arbitrary<Terms> = fc.record({
  maxEventsPerSecond: fc.option(fc.constantFrom(1, 2, 5, 20, 1000), { nil: undefined }),
  verbosity: fc.constant('normal'),
  languages: fc.constant(['en']),
  canConfirm: fc.boolean(),
  canClarify: fc.boolean(),
  boundaries: fc.uniqueArray(
    fc.constantFrom<TextBoundary>('none', 'word', 'sentence', 'paragraph', 'completion'),
    { minLength: 1 },
  ),
  filters: fc.constantFrom(
    { include: ['*'], exclude: [] },
    { include: ['aaep:agent.*'], exclude: [] },
    { include: ['aaep:agent.*'], exclude: ['aaep:agent.state.*', 'aaep:agent.progress.updated'] },
    { include: ['aaep:agent.output.*'], exclude: [] },
    { include: ['*'], exclude: ['aaep:agent.awaiting.*', 'aaep:agent.session.*'] },
  ),
  load: fc.constantFrom('low', 'medium', 'high'),
  paceWpm: fc.option(fc.constantFrom(50, 150, 1000), { nil: undefined }),
})

/** A session whose entries have arbitrary times. */
export const anySession: fc.Arbitrary<readonly Entry[]> = fc
  .tuple(
    fc.oneof(anyEntries, fc.constant(richSession), prose()),
    fc.array(fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: 3000 })), { minLength: 1 }),
  )
  .map(([groups, gaps]) => timed(entriesOf(groups).entries, gaps))

/** Running text in small pieces, with something else now and then. */
function prose() {
  const piece = fc.constantFrom(
    'The ',
    'train',
    ' leaves',
    ' at 8.30',
    ' e.g. ',
    'to Dr. ',
    'Who. ',
    'It',
    ' is',
    ' late',
    '. ',
    '...',
    ' wait! ',
    'Why',
    '? ',
    '\n',
    '\n\n',
    '- one\n',
    '1. two\n',
    '電車は',
    '遅れます。',
    'รถไฟ ',
    'มาสาย ',
    'القطار ',
    'متأخر. ',
    '👍🏽',
    'a',
  )
  const delta = piece.map((text) => ({
    kind: 'text-delta' as const,
    output: 'a',
    take: 0,
    text,
    position: 0,
    channel: 'answer' as const,
  }))
  const other = fc.constantFrom(
    { kind: 'progress' as const, percent: 10 },
    { kind: 'progress' as const, percent: 20 },
    { kind: 'state-change' as const, to: 'thinking' },
    { kind: 'state-change' as const, to: 'deciding' },
    { kind: 'tool-call' as const, call: 'c1', tool: 'search' },
    { kind: 'usage' as const, inputTokens: 1 },
    {
      kind: 'question-open' as const,
      question: 'confirmation' as const,
      token: 'rpl_1',
      text: 'Go on?',
      timeoutMs: 60_000,
      default: 'reject',
    },
  )
  return fc.array(
    fc.oneof({ arbitrary: delta, weight: 6 }, { arbitrary: other, weight: 1 }).map((event) => [event]),
    {
      minLength: 1,
      maxLength: 60,
    },
  )
}
