import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventKinds, type SluiceEvent } from '@sluice/protocol'
import { createConverter, dialectById } from '@sluice/protocol/dialects'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describeEvent } from './event-line.ts'
import { repository } from './testing/run-sluice.ts'
import { createTranscript } from './transcript.ts'

const recorded = readFileSync(join(repository, 'examples/recording.aaep.ndjson'), 'utf8')

function transcribe(steps: readonly (readonly SluiceEvent[])[]): string {
  const transcript = createTranscript()
  return steps.map((events) => transcript.step({ events })).join('') + transcript.end()
}

const delta = (
  text: string,
  more: Partial<Extract<SluiceEvent, { kind: 'text-delta' }>> = {},
): SluiceEvent => ({
  kind: 'text-delta',
  output: 'o',
  take: 0,
  position: 0,
  channel: 'answer',
  text,
  ...more,
})

describe('a transcript', () => {
  test('tells the bundled recording', () => {
    const converter = createConverter({ from: dialectById('aaep'), to: dialectById('sluice') })
    const frames = recorded
      .trim()
      .split('\n')
      .flatMap((line) => converter.push(line).frames)
    const steps = frames.map(({ data }) => (JSON.parse(data) as { events: SluiceEvent[] }).events)
    expect(transcribe(steps)).toBe(`\
# Trip planner was asked: A weekend in Évora for two, by train, please.
- thinking
- 10 %, step 1 of 4: Choosing a train
- calling tool
> search_trains: Lisbon to Évora, Saturday morning, two people
< search_trains success in 1.4 s: Four trains run on Saturday morning.
- writing output
- 40 %, step 2 of 4: Writing the plan
  I found a train that suits you. It leaves Lisbon at 8:02 and reaches Évora at 9:33. Start the day with a coffee at the café on the square ☕, then walk to the temple and up to the cathedral roof. On Sunday, follow the old aqueduct out of town. It is an easy walk of three kilometres. 
- awaiting input
? Book two seats on the 8:02 train on Saturday. Your card is charged 24 euros. The tickets cannot be returned. [accept or reject, within 120 s, else reject, token rpl_seats1]
= answered by user:ada: accept
- calling tool
> book_seats: Two seats on the 8:02 train
< book_seats success in 1.7 s: The seats are booked.
- 90 %, step 4 of 4: Finishing
- writing output
  Your seats are 14A and 14B, side by side. Have a lovely weekend! 🚆
# completed after 14.3 s
`)
  })

  test('breaks the line between outputs, takes and channels, and nowhere else', () => {
    expect(
      transcribe([
        [delta('a')],
        [delta('b'), { kind: 'usage', inputTokens: 1 }],
        [delta('c\n')],
        [delta('d', { channel: 'reasoning' })],
        [delta('e', { take: 1 }), delta('f', { take: 1, output: 'p' })],
      ]),
    ).toBe('  abc\n(reasoning) d\n  e\n  f\n')
  })

  test('leaves out what no producer said, but for the end', () => {
    const meta = { implied: true } as const
    expect(
      transcribe([[{ kind: 'session-start', meta }], [{ kind: 'session-end', outcome: 'completed', meta }]]),
    ).toBe('# completed\n')
  })

  test.each<[SluiceEvent, string | undefined]>([
    [{ kind: 'session-start' }, '# The agent begins'],
    [
      { kind: 'session-end', outcome: 'failed', error: { code: 'E1', message: 'No net.' } },
      '# failed: No net.',
    ],
    [{ kind: 'progress' }, '- working'],
    [
      { kind: 'message', id: 'm', role: 'user', parts: [{ type: 'text', text: 'Stop,\nplease' }] },
      'user: Stop, please',
    ],
    [{ kind: 'part-add', output: 'o', part: { type: 'file', name: 'a.pdf', uri: 'x:' } }, '+ file a.pdf'],
    [{ kind: 'sources', items: [1, 2] }, '+ 2 sources'],
    [
      {
        kind: 'question-open',
        question: 'clarification',
        token: 't',
        text: 'Which?',
        choices: [{ value: 'a', label: 'A' }],
      },
      '? Which? [a, token t]',
    ],
    [{ kind: 'question-close', token: 't', how: 'timeout' }, '= timeout'],
    [{ kind: 'question-close', token: 't', how: 'answered', response: 7 }, '= answered: 7'],
    [{ kind: 'handoff', target: 'human', reason: 'Too hard' }, '! handed over to human: Too hard'],
    [{ kind: 'notice', level: 'warning', text: 'Slow.' }, '! warning: Slow.'],
    [{ kind: 'notice', level: 'debug', text: 'x' }, undefined],
    [{ kind: 'unknown', type: 'x.y', data: null }, '- x.y'],
  ])('has a line for %j', (event, line) => expect(describeEvent(event)).toBe(line))

  test('never lets a control sequence through, whatever the text', () => {
    const evil = '\u001b]0;x\u0007\u009b31m\r\u202e\u0000\u2028'
    const texts: readonly SluiceEvent[] = [
      delta(evil),
      { kind: 'session-start', request: evil, meta: { agent: { name: evil } } },
      { kind: 'session-end', outcome: 'failed', error: { message: evil } },
      { kind: 'state-change', to: evil },
      { kind: 'progress', text: evil },
      { kind: 'message', id: evil, role: 'agent', parts: [{ type: 'text', text: evil }] },
      { kind: 'part-add', output: 'o', part: { type: 'file', name: evil, inline: '' } },
      { kind: 'tool-call', call: 'c', tool: evil, argsSummary: evil },
      { kind: 'tool-result', call: 'c', tool: evil, status: 'error', message: evil },
      {
        kind: 'question-open',
        question: 'confirmation',
        token: evil,
        text: evil,
        consequence: evil,
        allowed: [evil],
        default: evil,
      },
      { kind: 'question-close', token: evil, how: 'answered', decision: evil, by: evil },
      { kind: 'handoff', target: 'human', reason: evil },
      { kind: 'notice', level: 'error', text: evil },
      { kind: 'unknown', type: evil, data: null },
    ]
    expect(transcribe([texts]).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Zl}\u202e]/u)
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('?', ' ', '\n', '\r', '#', 'x') })),
        (pieces) => {
          for (const line of transcribe(pieces.map((text) => [delta(text)])).split('\n'))
            expect(line).toMatch(/^( {2}|$)/)
        },
      ),
    )
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(transcribe([[delta(text)]]).replace(/[\n\t]/g, '')).not.toMatch(/\p{Cc}/u)
      }),
    )
  })

  test('knows every kind of event', () => {
    const told = eventKinds.filter((kind) => kind !== 'text-delta')
    for (const kind of told)
      expect(() => describeEvent({ ...sample, kind } as unknown as SluiceEvent)).not.toThrow()
  })
})

/** Has the fields of every kind. */
const sample = {
  outcome: 'completed',
  to: 'x',
  role: 'user',
  parts: [],
  items: [],
  part: { type: 'data', data: 1 },
  tool: 't',
  token: 't',
  text: 'x',
  target: 'human',
  level: 'info',
  type: 'x',
}
