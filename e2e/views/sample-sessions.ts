import type { Dialect, Entry, SluiceEvent, TextDelta } from '@sluice/protocol'
import { dialects } from '@sluice/protocol/dialects'
import { richSession } from '../../packages/protocol/src/testing/rich-session.ts'
import { encodeSession, entriesOf, readSession } from '../../packages/protocol/src/testing/sessions.ts'

function delta(output: string, text: string, channel: TextDelta['channel'] = 'answer'): TextDelta {
  return { kind: 'text-delta', output, take: 0, position: 0, text, channel }
}

/** More characters than a chunk of AAEP takes. */
const longText = 'The train 🚄🎈𠮷 leaves at eight. '.repeat(600)
/** More bytes than the data of an agent event takes. */
const longQuestion = '終わり。'.repeat(6000)
const notice = (text: string): SluiceEvent => ({ kind: 'notice', level: 'info', text })
const end = (output: string): SluiceEvent => ({ kind: 'text-end', output, take: 0 })

/** Events that some dialects write as several frames, and pieces without text, before, between and after others. */
export const divided: readonly (readonly SluiceEvent[])[] = [
  [{ kind: 'session-start', request: 'Tell me everything.' }],
  [delta('thought', 'I wonder. So it ', 'reasoning')],
  [delta('thought', 'is. ', 'reasoning'), end('thought')],
  [delta('a', ''), delta('b', 'Hello there. '), delta('a', ''), delta('a', ''), delta('a', 'You.')],
  [
    delta('a', ''),
    {
      kind: 'message',
      id: 'm1',
      role: 'agent',
      parts: [
        { type: 'text', text: 'See this: ' },
        { type: 'data', data: { seats: ['4A', '4B'] } },
        { type: 'text', text: 'And that.' },
      ],
    },
    delta('a', ''),
  ],
  [
    delta('later', '', 'reasoning'),
    delta('later', 'Another thought. And', 'reasoning'),
    { kind: 'tool-call', call: 'c1', tool: 'search' },
  ],
  [
    delta('b', 'Hello again.'),
    end('b'),
    { kind: 'tool-call-delta', call: 'c1', argsText: '{' },
    delta('a', 'Half a sen'),
    { kind: 'state-change', to: 'executing' },
    delta('a', 'tence. End'),
  ],
  [
    { kind: 'text-reset', output: 'a', take: 1, channel: 'answer' },
    { ...delta('a', ''), take: 1 },
  ],
  [
    { ...delta('a', ''), take: 1 },
    { ...delta('a', 'Once mo'), take: 1 },
  ],
  [{ ...delta('a', 're, from the start.'), take: 1 }],
  [delta('musing', '', 'reasoning'), delta('musing', 'Was that', 'reasoning')],
  [delta('musing', ' all?', 'reasoning')],
]

/** Events that are larger than a frame of some dialects, with others before and after them. */
export const large: readonly (readonly SluiceEvent[])[] = [
  [
    { kind: 'session-start' },
    { kind: 'message', id: 'm1', role: 'agent', parts: [{ type: 'text', text: longText }] },
    notice('one'),
  ],
  [{ kind: 'question-open', question: 'clarification', token: 'ask-1', text: longQuestion }, notice('two')],
  [delta('a', 'Well, '), delta('a', longText), end('a')],
]

/** Entries with the given gaps in time. */
export function timed(entries: readonly Entry[], gaps: readonly number[]): readonly Entry[] {
  let at = 1_800_000_000_000
  return entries.map((entry, index) => {
    at += gaps[index % gaps.length] ?? 0
    return { ...entry, at }
  })
}

/** A session as an agent that speaks `dialect` published it: its entries are clean frames that views can copy. */
function recordedIn(dialect: Dialect, groups: readonly (readonly SluiceEvent[])[]): readonly Entry[] {
  const { state, entries } = entriesOf(groups)
  // A space that Sluice does not write shows whether a frame is a copy.
  const lines = encodeSession(dialect, state, entries).map(({ data }) => `{ ${data.slice(1)}`)
  return readSession(dialect, lines).entries
}

const gaps = [7, 0, 55, 13]

export const sampleSessions: readonly { readonly name: string; readonly entries: readonly Entry[] }[] = [
  { name: 'every kind of event', entries: timed(entriesOf(richSession).entries, gaps) },
  { name: 'events of several frames', entries: timed(entriesOf(divided).entries, gaps) },
  { name: 'events larger than a frame', entries: timed(entriesOf(large).entries, gaps) },
  ...dialects.map((dialect) => ({
    name: `frames of ${dialect.id}`,
    entries: timed(recordedIn(dialect, richSession), gaps),
  })),
]
