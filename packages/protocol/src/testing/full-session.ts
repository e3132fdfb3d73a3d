import type { SluiceEvent } from '../events.ts'
import { richAgent, richSession } from './rich-session.ts'

const rest: readonly (readonly SluiceEvent[])[] = [
  [
    {
      kind: 'notice',
      level: 'info',
      text: 'The session can be resumed.',
      meta: { agent: { ...richAgent, session: 'run-17' }, parent: 'call_b', channel: 'system' },
    },
  ],
  [
    {
      kind: 'state-change',
      to: 'thinking',
      meta: { summaries: { normal: 'Thinking.', byLanguage: { normal_de: 'Denkt nach.' } } },
    },
  ],
  [
    {
      kind: 'text-delta',
      output: 'note',
      take: 0,
      position: 0,
      text: 'All done. ',
      channel: 'answer',
      hint: 'completion',
    },
  ],
  [{ kind: 'question-open', question: 'clarification', token: 'ask-3', text: 'Anything else?' }],
  [
    {
      kind: 'question-close',
      token: 'ask-3',
      how: 'answered',
      response: 'no',
      by: 'key:front-desk',
      claimedBy: 'ada',
    },
  ],
]

/**
 * The rich session with every field of every kind and of `meta`: the losses of a dialect in this session are
 * all that it can have.
 */
export const fullSession: readonly (readonly SluiceEvent[])[] = richSession.flatMap((events) =>
  events.some(({ kind }) => kind === 'session-end') ? [...rest, events.map(withEnder)] : [events],
)

function withEnder(event: SluiceEvent): SluiceEvent {
  return event.kind === 'session-end' ? { ...event, by: 'user', claimedBy: 'ada' } : event
}
