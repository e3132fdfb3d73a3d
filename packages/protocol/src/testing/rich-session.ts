import type { Meta, SluiceEvent } from '../events.ts'

/** The agent of the rich session. */
export const richAgent = {
  id: 'travel-desk',
  kind: 'travel_desk',
  version: '2.1.0',
  name: 'Travel desk',
  model: 'model-7',
  uri: 'https://agents.example/travel-desk.json',
}

let clock = Date.UTC(2026, 4, 24, 14, 22, 0)
let count = 0

/** Id, time and agent, as a full-featured producer sends them. */
function stamp(more: Meta = {}): Meta {
  clock += 137
  count += 1
  return { id: `evt_rich${count}`, at: new Date(clock).toISOString(), agent: richAgent, ...more }
}

function delta(
  output: string,
  text: string,
  more: Partial<Extract<SluiceEvent, { kind: 'text-delta' }>> = {},
): SluiceEvent {
  return { kind: 'text-delta', output, take: 0, position: 0, text, channel: 'answer', meta: stamp(), ...more }
}

/**
 * One session with something of everything: tools, two outputs, an interruption and a new take, a
 * confirmation and a clarification, files, sources, an error, and texts in several scripts. Each inner list
 * is one entry.
 */
export const richSession: readonly (readonly SluiceEvent[])[] = [
  [
    {
      kind: 'session-start',
      request: 'Plan two days in Lagos and book the train.',
      tools: ['web_search', 'book_ticket'],
      meta: stamp({
        urgency: 'normal',
        summaries: {
          terse: 'Started.',
          normal: 'Planning started.',
          detailed: 'The travel desk began to plan.',
        },
        trace: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
        localization: { primary_language: 'en' },
      }),
    },
  ],
  [
    {
      kind: 'message',
      id: 'msg-1',
      role: 'user',
      parts: [{ type: 'text', text: 'Two days, please.' }],
      meta: stamp(),
    },
  ],
  [{ kind: 'state-change', from: 'idle', to: 'thinking', meta: stamp({ urgency: 'background' }) }],
  [delta('notes', 'The user wants a short trip. ', { channel: 'reasoning' })],
  [
    delta('notes', 'Trains first.', { channel: 'reasoning' }),
    { kind: 'text-end', output: 'notes', take: 0, meta: stamp() },
  ],
  [
    {
      kind: 'progress',
      percent: 25,
      step: 1,
      total: 4,
      text: 'Looking up trains',
      etaMs: 12_000,
      meta: stamp(),
    },
  ],
  [
    {
      kind: 'tool-call',
      call: 'toolu/01-a',
      tool: 'mcp:rail/search',
      args: { from: 'LOS', to: 'IB', when: '2026-06-01' },
      argsSummary: 'Trains from Lagos to Ibadan on 1 June',
      risk: 'low',
      irreversible: false,
      meta: stamp(),
    },
  ],
  [{ kind: 'tool-call-delta', call: 'toolu/01-a', argsText: '{"class":2}', meta: stamp() }],
  [
    {
      kind: 'tool-result',
      call: 'toolu/01-a',
      tool: 'mcp:rail/search',
      status: 'success',
      result: { trains: [{ id: 'T1', leaves: '08:00' }] },
      exitCode: 0,
      durationMs: 812,
      meta: stamp(),
    },
  ],
  [{ kind: 'tool-call', call: 'call_b', tool: 'web_search', args: { q: 'weather' }, meta: stamp() }],
  [
    {
      kind: 'tool-result',
      call: 'call_b',
      tool: 'web_search',
      status: 'error',
      message: 'The weather service did not answer.',
      durationMs: 30_000,
      meta: stamp(),
    },
  ],
  [
    {
      kind: 'notice',
      level: 'warning',
      text: 'The weather is missing.',
      code: 'WEATHER_GONE',
      meta: stamp(),
    },
  ],
  [delta('plan', 'Day one: ', { language: 'en', contentType: 'text/markdown' })],
  [delta('plan', 'the coast 🏖️. ')],
  [{ kind: 'text-end', output: 'plan', take: 0, interrupted: true, meta: stamp() }],
  [
    {
      kind: 'question-open',
      question: 'confirmation',
      token: 'rpl_pay1',
      text: 'Book the 08:00 train for two?',
      consequence: 'Your card is charged 12 000 naira.',
      timeoutMs: 120_000,
      default: 'reject',
      allowed: ['accept', 'reject'],
      risk: 'high',
      irreversible: true,
      meta: stamp({ urgency: 'critical' }),
    },
  ],
  [
    {
      kind: 'question-close',
      token: 'rpl_pay1',
      how: 'answered',
      decision: 'accept',
      by: 'user:ada',
      meta: stamp(),
    },
  ],
  [
    {
      kind: 'question-open',
      question: 'clarification',
      token: 'ask-2',
      text: 'Window or aisle?',
      kinds: ['multiple_choice'],
      choices: [
        { value: 'window', label: 'Window seat' },
        { value: 'aisle', label: 'Aisle seat' },
      ],
      timeoutMs: 60_000,
      default: 'window',
      meta: stamp({ urgency: 'critical' }),
    },
  ],
  [
    {
      kind: 'question-close',
      token: 'ask-2',
      how: 'answered',
      response: 'aisle',
      by: 'user:ada',
      meta: stamp(),
    },
  ],
  [{ kind: 'text-reset', output: 'plan', take: 1, channel: 'answer', meta: stamp() }],
  [delta('plan', 'Ẹ ku àárọ̀. Ṣé o sun re? ', { language: 'yo-NG' })],
  [delta('plan', 'مرحبا بالعالم؟ ', { language: 'ar' })],
  [
    delta('plan', 'สวัสดีครับ 👨‍👩‍👧‍👦', { language: 'th' }),
    { kind: 'text-end', output: 'plan', take: 1, meta: stamp() },
  ],
  [
    {
      kind: 'part-add',
      output: 'plan',
      part: {
        type: 'file',
        name: 'ticket.pdf',
        mediaType: 'application/pdf',
        uri: 'https://files.example/ticket.pdf',
      },
      meta: stamp(),
    },
  ],
  [
    {
      kind: 'part-add',
      output: 'plan',
      part: { type: 'data', data: { seats: ['4A', '4B'] } },
      meta: stamp(),
    },
  ],
  [
    delta('mail', 'Dear Ada, your train leaves at 08:00.'),
    { kind: 'text-end', output: 'mail', take: 0, meta: stamp() },
  ],
  [{ kind: 'sources', items: [{ source: 'https://rail.example/t1', content: 'Timetable' }], meta: stamp() }],
  [{ kind: 'state-data', snapshot: { booked: true }, meta: stamp() }],
  [{ kind: 'state-data', patch: [{ op: 'replace', path: '/booked', value: false }], meta: stamp() }],
  [
    {
      kind: 'usage',
      inputTokens: 1200,
      outputTokens: 340,
      cachedTokens: 200,
      reasoningTokens: 50,
      cost: { amount: 0.012, currency: 'USD' },
      model: 'model-7',
      meta: stamp(),
    },
  ],
  [
    {
      kind: 'handoff',
      reason: 'The payment needs a person.',
      target: 'human',
      uri: 'https://desk.example/queue',
      context: { ticket: 7 },
      meta: stamp({ urgency: 'critical' }),
    },
  ],
  [{ kind: 'unknown', type: 'vendor.heartbeat', data: { beat: 3 }, meta: stamp() }],
  [
    {
      kind: 'session-end',
      outcome: 'failed',
      error: {
        category: 'requires_user',
        code: 'PAYMENT_DECLINED',
        message: 'The card was declined.',
        recoverable: true,
        hint: 'Try another card.',
      },
      durationMs: 45_000,
      meta: stamp({ urgency: 'critical' }),
    },
  ],
]
