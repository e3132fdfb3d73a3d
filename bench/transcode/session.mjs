import { closeEntry, createSessionState, omitUndefined, settle } from '@sluice/protocol'
import { sentenceOf } from './text.mjs'

const sessionId = 'sess_bench1'
const startAt = Date.UTC(2026, 0, 1)
const deltaCount = 500
const deltasPerRound = 50
const agent = { id: 'bench-agent', kind: 'assistant', version: '1.0.0', name: 'Bench agent' }

/** The session before its first entry. */
export function createBenchSession() {
  return createSessionState({ id: sessionId })
}

/** The same session as opened by a reader of `frame`, with the names that the frame gives it. */
export function openBenchSession(dialect, frame) {
  const { foreign, context } = dialect.identify(JSON.parse(frame))
  return createSessionState(omitUndefined({ id: sessionId, foreign, context }))
}

/**
 * The entries of one session, settled and without raw; 500 of its 543 events are text deltas of `textBytes`
 * bytes of UTF-8.
 */
export function createEntries(textBytes) {
  let state = createBenchSession()
  return [...eventsOf(textBytes)].map((event, index) => {
    const at = startAt + index * 40
    const stamped = { ...event, meta: { id: `evt_${index}`, at: new Date(at).toISOString(), agent } }
    const settled = settle(state, [stamped])
    const entry = {
      seq: index,
      at,
      source: { dialect: 'sluice' },
      direction: 'event',
      clean: true,
      events: settled.events,
      diagnostics: [],
    }
    state = closeEntry(settled.state, entry)
    return entry
  })
}

function* eventsOf(textBytes) {
  yield { kind: 'session-start', request: 'Compare the three offers and write a summary.', tools: ['search'] }
  for (let index = 0; index < deltaCount; index++) {
    if (index % deltasPerRound === 0) yield* toolRound(index / deltasPerRound, textBytes)
    const text = sentenceOf(textBytes, index)
    yield { kind: 'text-delta', output: 'out_answer', take: 0, position: 0, text, channel: 'answer' }
  }
  yield { kind: 'text-end', output: 'out_answer', take: 0 }
  yield { kind: 'session-end', outcome: 'completed', durationMs: 21_720 }
}

function* toolRound(round, textBytes) {
  const call = `call_${round}`
  const result = { items: [{ title: `Offer ${round}`, text: sentenceOf(textBytes, round) }] }
  yield { kind: 'state-change', from: 'thinking', to: 'calling_tool' }
  yield {
    kind: 'tool-call',
    call,
    tool: 'search',
    args: { query: `offer ${round}`, limit: 10 },
    argsSummary: `Search for offer ${round}`,
  }
  yield { kind: 'tool-result', call, tool: 'search', status: 'success', result, durationMs: 120 }
  yield { kind: 'progress', percent: round * 10, step: round + 1, total: 10, text: `Offer ${round} read` }
}
