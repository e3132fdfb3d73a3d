import type { JsonObject } from '@sluice/protocol'
import { readingIn, storiesOf, terminals, textOf, typeOf } from './story.ts'
import type { ArrivedEvent, Intent, Reading, Run, SentMessage } from './transcript.ts'

/** A question and everything that followed it in its session. */
export interface Exchange {
  readonly where: string
  readonly question: ArrivedEvent
  readonly token: string
  readonly isConfirmation: boolean
  /** The events of its session and the suite's messages about its questions, in order. */
  readonly items: readonly (ArrivedEvent | SentMessage)[]
}

const confirmation = 'aaep:agent.awaiting.confirmation'
const clarification = 'aaep:agent.awaiting.clarification'

export function isQuestion(event: JsonObject): boolean {
  return [confirmation, clarification].includes(typeOf(event))
}

/** The questions that the answering subscription saw. */
export function exchangesIn(run: Run | undefined): readonly Exchange[] {
  const reading = readingIn(run, 'main')
  return reading === undefined
    ? []
    : storiesOf(reading).flatMap(({ session }) => exchangesOf(reading, session))
}

function exchangesOf(reading: Reading, session: string): readonly Exchange[] {
  const exchanges: (Exchange & { items: (ArrivedEvent | SentMessage)[] })[] = []
  for (const item of reading.items) {
    if (item.kind === 'sent' && exchanges.some(({ token }) => token === item.about))
      for (const exchange of exchanges) exchange.items.push(item)
    if (item.kind !== 'event' || textOf(item.event, 'session_id') !== session) continue
    for (const exchange of exchanges) exchange.items.push(item)
    if (isQuestion(item.event))
      exchanges.push({
        where: reading.where,
        question: item,
        token: textOf(item.event, 'reply_token'),
        isConfirmation: typeOf(item.event) === confirmation,
        items: [],
      })
  }
  return exchanges
}

/** The first message that the suite sent about this question with one of these intents. */
export function sentIn(exchange: Exchange, ...intents: readonly Intent[]): SentMessage | undefined {
  return exchange.items.find((item) => isSent(item, exchange, intents))
}

function isSent(
  item: ArrivedEvent | SentMessage,
  { token }: Exchange,
  intents: readonly Intent[],
): item is SentMessage {
  return item.kind === 'sent' && item.about === token && intents.includes(item.intent)
}

/** The events after the message with intent `from` (or after the question), up to the first of `until`. */
export function eventsBetween(
  exchange: Exchange,
  from: Intent | 'question',
  ...until: readonly Intent[]
): readonly ArrivedEvent[] {
  const { items } = exchange
  const start = from === 'question' ? 0 : items.findIndex((item) => isSent(item, exchange, [from]))
  if (start < 0) return []
  const rest = items.slice(start)
  const end = rest.findIndex((item) => isSent(item, exchange, until))
  return rest.slice(0, end < 0 ? undefined : end).filter((item) => item.kind === 'event')
}

/** The events after the message with this intent, up to the next acceptance of any question. */
export function eventsWithoutLeave(exchange: Exchange, from: Intent): readonly ArrivedEvent[] {
  const start = exchange.items.findIndex((item) => isSent(item, exchange, [from]))
  if (start < 0) return []
  const rest = exchange.items.slice(start)
  const end = rest.findIndex((item) => item.kind === 'sent' && item.intent === 'accept')
  return rest.slice(0, end < 0 ? undefined : end).filter((item) => item.kind === 'event')
}

/** The agent has stopped waiting: it invokes an irreversible tool, leaves the waiting state, or ends. */
export function isRelease({ event }: ArrivedEvent): boolean {
  const type = typeOf(event)
  if (type === 'aaep:agent.state.changed') return textOf(event, 'from_state') === 'awaiting_input'
  return terminals.has(type) || isIrreversibleCall(event)
}

/** The agent does anything other than report progress or start waiting. */
export function isAction({ event }: ArrivedEvent): boolean {
  return typeOf(event) !== 'aaep:agent.progress.updated' && textOf(event, 'to_state') !== 'awaiting_input'
}

export function isIrreversibleCall(event: JsonObject): boolean {
  return typeOf(event) === 'aaep:agent.tool.invoked' && event['irreversible'] === true
}

/** The tools that an acceptance released: irreversible ones, and the first one after each acceptance. */
export function releasedTools(run: Run | undefined): ReadonlySet<string> {
  const tools = exchangesIn(run).flatMap((exchange) => {
    const next = exchange.items.findIndex((item) => item.kind === 'event' && isQuestion(item.event))
    const own = next < 0 ? exchange : { ...exchange, items: exchange.items.slice(0, next) }
    const calls = eventsBetween(own, 'accept').filter(
      ({ event }) => typeOf(event) === 'aaep:agent.tool.invoked',
    )
    return calls.filter(({ event }, index) => index === 0 || isIrreversibleCall(event))
  })
  return new Set(tools.map(({ event }) => textOf(event, 'tool')))
}
