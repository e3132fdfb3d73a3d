import type { Client } from '@sluice/client'
import type { QuestionOpen, SluiceEvent } from '@sluice/protocol'
import { publishText } from '../testing/publish.ts'
import { everyMarkdown, rightToLeft } from './every-markdown.ts'
import { type PlayedAgent, playAgent } from './publish-text.ts'

/** Sessions in every state that the console shows. */
export interface PlayedSessions {
  readonly client: Client
  /** Writes, reasons, uses tools, and has not ended. */
  readonly working: PlayedAgent
  /** Waits for the answers to questions of every kind. */
  readonly asking: PlayedAgent
  /** Waits for one answer. */
  readonly deciding: PlayedAgent
  readonly completed: string
  readonly failed: string
  readonly cancelled: string
  /** Its second entry has a finding. */
  readonly broken: string
  /** The context of three sessions, all of which have ended. */
  readonly conversation: string
}

const hourMs = 3_600_000

/** Questions of every kind. A token is valid in one session. */
export const questionsOf = (session: string): readonly QuestionOpen[] => [
  {
    kind: 'question-open',
    question: 'confirmation',
    token: `delete-${session}`,
    text: 'Delete the old bookings?',
    consequence: 'Two bookings are gone, and their price with them.',
    risk: 'high',
    irreversible: true,
    default: 'reject',
    timeoutMs: hourMs,
  },
  {
    kind: 'question-open',
    question: 'clarification',
    token: `choice-${session}`,
    text: 'How do you want to travel?',
    kinds: ['multiple_choice'],
    choices: [
      { value: 'train', label: 'By train, with bicycles' },
      { value: 'bus', label: 'By bus' },
    ],
  },
  { kind: 'question-open', question: 'clarification', token: `text-${session}`, text: 'Where do you start?' },
  {
    kind: 'question-open',
    question: 'clarification',
    token: `number-${session}`,
    text: 'How many people travel?',
    kinds: ['numeric'],
  },
  {
    kind: 'question-open',
    question: 'authorization',
    token: `auth-${session}`,
    text: 'May I read your calendar?',
  },
]

/** The events of an agent at work: texts, tools in every state, sources, progress, usage. */
const work: readonly SluiceEvent[] = [
  {
    kind: 'text-delta',
    output: 'r',
    take: 0,
    text: 'First the *trains*.',
    position: 0,
    channel: 'reasoning',
  },
  { kind: 'text-delta', output: 'a', take: 0, text: everyMarkdown, position: 0, channel: 'answer' },
  { kind: 'text-end', output: 'a', take: 0 },
  { kind: 'text-delta', output: 'b', take: 0, text: rightToLeft, position: 0, channel: 'answer' },
  { kind: 'message', id: 'm', role: 'user', parts: [{ type: 'text', text: 'With the dog, please.' }] },
  {
    kind: 'tool-call',
    call: 'c1',
    tool: 'search_trains',
    args: { from: 'Hamburg' },
    argsSummary: 'To the sea',
  },
  {
    kind: 'tool-result',
    call: 'c1',
    tool: 'search_trains',
    status: 'success',
    result: ['08:00'],
    durationMs: 9,
  },
  { kind: 'tool-call', call: 'c2', tool: 'book_hotel', args: { nights: 2 } },
  {
    kind: 'tool-result',
    call: 'c2',
    tool: 'book_hotel',
    status: 'error',
    message: 'It is full.',
    exitCode: 1,
  },
  { kind: 'tool-call', call: 'c3', tool: 'look_up_the_weather_at_the_place_where_the_journey_ends' },
  { kind: 'sources', items: [{ title: 'The timetable', url: 'https://example.org/trains' }, 'A book'] },
  { kind: 'progress', percent: 40, step: 2, total: 5, text: 'Looking for a hotel' },
  {
    kind: 'usage',
    inputTokens: 1200,
    outputTokens: 345,
    model: 'a-model',
    cost: { amount: 0.02, currency: 'EUR' },
  },
]

export async function playSessions(client: Client, url: string): Promise<PlayedSessions> {
  const [completed, failed, cancelled] = await Promise.all([
    playEnd(client, { kind: 'session-end', outcome: 'completed', durationMs: 61_000 }),
    playEnd(client, {
      kind: 'session-end',
      outcome: 'failed',
      error: { code: 'no_route', message: 'There is no way to the sea.', hint: 'Try another day.' },
    }),
    playEnd(client, { kind: 'session-end', outcome: 'cancelled', by: 'somebody' }),
  ])
  const conversation = await playConversation(client)
  const broken = `sess_broken${process.pid}`
  await publishText(url, broken, {
    dialect: 'stream-event',
    text: '{"type":"answer_chunk","data":{"content":"One. "}}',
  })
  await publishText(url, broken, {
    dialect: 'stream-event',
    text: '{"type":"tool_result","data":{"tool":"nobody","output":1}}',
  })
  const deciding = await playAgent(client, 'Decide for me.')
  const working = await playAgent(client, 'A weekend by the sea for two, by train, please.')
  const asking = await playAgent(client, 'Ask me everything.')
  await deciding.say({ kind: 'question-open', question: 'confirmation', token: 'q-go', text: 'Go on?' })
  await working.say(...work)
  await asking.say(...questionsOf(asking.session))
  return { client, working, asking, deciding, completed, failed, cancelled, broken, conversation }
}

async function playEnd(client: Client, end: SluiceEvent): Promise<string> {
  const agent = await playAgent(client, 'A day at the lake.')
  await agent.text('It was a **long** day.')
  await agent.say(end)
  return agent.session
}

async function playConversation(client: Client): Promise<string> {
  const context = `trip${process.pid}`
  for (const request of ['Where is it warm?', 'And in May?', 'Book it.']) {
    const session = await client.createSession({ agent: 'played', context, request })
    session.text(`About "${request}": **yes**.\n\n- one\n- two`)
    await session.complete()
  }
  return context
}
