import type { SluiceEvent } from '../events.ts'

/** Endless sessions, each of one kind of event: the n-th entry of each, counted from 0. */
export const growingSessions: Readonly<Record<string, (n: number) => readonly SluiceEvent[]>> = {
  'one text': (n) => [text('out', `word ${n} `)],
  'one text of emoji': () => [text('out', '💖💖')],
  reasoning: (n) => [{ ...text('thought', `word ${n} `), channel: 'reasoning' }],
  'texts of their own': (n) => [text(`out_${n}`, 'Done.'), { kind: 'text-end', output: `out_${n}`, take: 0 }],
  'takes of one text': () => [
    text('out', 'Again.'),
    { kind: 'text-reset', output: 'out', take: 1, channel: 'answer' },
  ],
  'a text that ends and goes on': () => [text('out', 'Again.'), { kind: 'text-end', output: 'out', take: 0 }],
  'texts that stay open': (n) => [text(`out_${n}`, 'Open.')],
  'parts of one output': (n) => [
    { kind: 'part-add', output: 'out', part: { type: 'data', data: { n, text: 'a part' } } },
  ],
  messages: (n) => [
    { kind: 'message', id: `msg_${n}`, role: 'user', parts: [{ type: 'text', text: `Message ${n}` }] },
  ],
  sources: (n) => [{ kind: 'sources', items: [{ uri: `https://example.org/${n}` }] }],
  patches: (n) => [{ kind: 'state-data', patch: [{ op: 'add', path: `/k${n % 100}`, value: n }] }],
  snapshots: (n) => [{ kind: 'state-data', snapshot: { n } }],
  'calls with results': (n) => [
    { kind: 'tool-call', call: `c${n}`, tool: 'search', args: { q: n } },
    { kind: 'tool-result', call: `c${n}`, tool: 'search', status: 'success', result: { n } },
  ],
  'calls that stay open': (n) => [{ kind: 'tool-call', call: `c${n}`, tool: 'search' }],
  'one id for all calls': (n) => [
    { kind: 'tool-call', call: 'c', tool: 'search', args: { q: n } },
    { kind: 'tool-result', call: 'c', tool: 'search', status: 'error' },
  ],
  'results without calls': () => [{ kind: 'tool-result', call: 'c', tool: 'search', status: 'success' }],
  'arguments in pieces': (n) => [
    ...(n === 0 ? [{ kind: 'tool-call', call: 'c', tool: 'search' } as const] : []),
    { kind: 'tool-call-delta', call: 'c', argsText: `{"q":${n}}` },
  ],
  'questions with answers': (n) => [
    { kind: 'question-open', question: 'confirmation', token: `q${n}`, text: 'May I?' },
    { kind: 'question-close', token: `q${n}`, how: 'answered', decision: 'accept' },
  ],
  'questions that stay open': (n) => [
    { kind: 'question-open', question: 'clarification', token: `q${n}`, text: 'Which?' },
  ],
  states: (n) => [{ kind: 'state-change', to: n % 2 === 0 ? 'thinking' : 'writing_output' }],
  progress: (n) => [{ kind: 'progress', percent: n % 100, text: `Step ${n}` }],
  notices: (n) => [{ kind: 'notice', level: 'info', text: `Line ${n}` }],
  usage: (n) => [{ kind: 'usage', inputTokens: n }],
  handoffs: (n) => [{ kind: 'handoff', reason: `Reason ${n}`, target: 'human' }],
  'unknown events': (n) => [{ kind: 'unknown', type: 'x:y', data: { n } }],
}

function text(output: string, words: string) {
  return { kind: 'text-delta', output, take: 0, text: words, position: 0, channel: 'answer' } as const
}
