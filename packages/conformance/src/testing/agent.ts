import { randomBytes } from 'node:crypto'
import type { Clock, JsonObject } from '@sluice/protocol'
import { pause } from '../pause.ts'
import type { Behaviour } from './behaviour.ts'
import type { Questions } from './questions.ts'

export const agentId = 'conformance-agent'
const language = { localization_hints: { primary_language: 'en' } }

export interface AgentParts {
  readonly behaviour: Behaviour
  readonly clock: Clock
  readonly questions: Questions
  /** The timeout of its confirmation, in seconds. */
  readonly timeout: number
  publish(event: JsonObject): void
}

/** Plays one session with everything that a producer can do right or wrong. */
export async function runAgent({ behaviour, clock, questions, timeout, publish }: AgentParts): Promise<void> {
  const session = `sess_${randomBytes(8).toString('hex')}`
  let nth = 0
  const say = async (type: string, fields: JsonObject): Promise<void> => {
    const event = {
      '@context': 'https://aaep-protocol.org/context/v1',
      type: `aaep:agent.${type}`,
      aaep_version: '1.0.0',
      event_id: `evt_${randomBytes(16).toString('hex')}`,
      session_id: session,
      timestamp: new Date(clock.now()).toISOString(),
      producer: { agent_id: agentId, agent_version: '2.1.0' },
      ...language,
      ...fields,
    }
    for (const made of behaviour.emit(event)) {
      publish({ ...made, sequence_number: behaviour.number(nth) })
      nth += 1
    }
    await pause(clock, 1)
  }
  const state = (from: string, to: string): Promise<void> =>
    say('state.changed', { from_state: from, to_state: to, urgency: 'background' })
  const write = async (output: string, sentences: readonly string[]): Promise<void> => {
    let position = 0
    for (const [index, chunk] of sentences.entries()) {
      const complete = index === sentences.length - 1
      const coalesce_hint = complete ? 'completion' : 'sentence'
      await say('output.streaming', { output_id: output, chunk, position, complete, coalesce_hint })
      position += [...chunk].length
    }
  }

  questions.whenTakenBack(session, () => void use('book', 'call_3', { irreversible: true }))
  await say('session.started', { summary_normal: 'Planning a weekend.' })
  await state('idle', 'thinking')
  for (const percent of [10, 20, 30, 40, 50]) await say('progress.updated', { progress: { percent } })
  await use('search', 'call_1', { irreversible: false })
  await write('out_1', [
    'Évora 🏛 is near. ',
    'It has a temple. ',
    'It has walls. ',
    'It has a market. ',
    'Book it?',
  ])
  await state('thinking', 'awaiting_input')
  const decision = await questions.confirm(session, timeout, (token) =>
    say('awaiting.confirmation', {
      action: 'Book a room.',
      consequence: 'The card is charged.',
      reply_token: token,
      timeout_seconds: timeout,
      default_decision: 'reject',
      risk_level: 'high',
      irreversible: true,
      urgency: 'critical',
    }),
  )
  if (decision === 'accept') {
    if (!behaviour.hidesOutcomes) await state('awaiting_input', 'calling_tool')
    await use('book', 'call_2', { irreversible: true })
    await state('calling_tool', 'thinking')
  } else {
    if (behaviour.isSilentAfterRejection && decision === 'reject') return
    await state('awaiting_input', 'thinking')
    if (behaviour.actsOnRejection && decision === 'reject')
      await use('book', 'call_2', { irreversible: true })
    if (behaviour.actsOnDefault && decision === 'default') await use('book', 'call_2', { irreversible: true })
  }
  await state('thinking', 'awaiting_input')
  await questions.clarify(session, (token) =>
    say('awaiting.clarification', {
      question: 'How many nights?',
      reply_token: token,
      timeout_seconds: 60,
      accepted_response_kinds: ['numeric'],
      urgency: 'critical',
    }),
  )
  if (!behaviour.hidesOutcomes) await state('awaiting_input', 'thinking')
  await pause(clock, 400)
  await write('out_2', ['All is done. ', 'Have a good trip.'])
  await use('notes', 'call_4', { irreversible: false })
  await say('session.completed', { summary_normal: 'The weekend is planned.' })

  async function use(
    tool: string,
    call: string,
    { irreversible }: { readonly irreversible: boolean },
  ): Promise<void> {
    const fields = { tool, tool_call_id: call }
    await say('tool.invoked', { ...fields, irreversible, summary_normal: 'Using a tool.' })
    await say('tool.completed', { ...fields, status: 'success' })
  }
}
