import type { AaepReceipt } from '@sluice/client'
import type { AaepFrame } from '@sluice/protocol/dialects'
import type { Answer } from '@sluice/protocol/narrate'
import { createBell } from '../bell.ts'
import type { ListenSource } from '../listen-source.ts'

type Fields = Readonly<Record<string, unknown>>

export const openedAtMs = Date.parse('2026-05-24T14:22:00.000Z')
let made = 0

/** A core event in the session of a trip planner. */
export function event(name: string, fields: Fields): AaepFrame {
  made += 1
  return {
    '@context': 'https://aaep-protocol.org/context/v1',
    type: `aaep:agent.${name}`,
    event_id: `evt_${made}`,
    session_id: 'sess_trip',
    timestamp: new Date(openedAtMs).toISOString(),
    producer: { agent_id: 'planner', agent_name: 'Trip planner' },
    ...fields,
  } as AaepFrame // each test gives the fields of the type that it names
}

/** A chunk of the text of the agent. */
export function chunk(text: string, more: Fields = {}): AaepFrame {
  return event('output.streaming', { chunk: text, position: 0, complete: false, ...more })
}

/** The question of every test about answers. */
export function confirmation(more: Fields = {}): AaepFrame {
  return event('awaiting.confirmation', {
    urgency: 'critical',
    action: 'Book two seats.',
    consequence: 'Your card is charged 24 euros',
    reply_token: 'rpl_seats',
    timeout_seconds: 120,
    default_decision: 'reject',
    ...more,
  })
}

export function clarification(more: Fields = {}): AaepFrame {
  return event('awaiting.clarification', {
    urgency: 'critical',
    question: 'Which train?',
    reply_token: 'rpl_train',
    timeout_seconds: 90,
    ...more,
  })
}

/** The outcome of a question, as a gateway sends it. */
export function outcome(token: string, close: object): AaepFrame {
  return event('state.changed', {
    from_state: 'awaiting_input',
    to_state: 'thinking',
    extensions: { sluice: { event: { kind: 'question-close', token, ...close } } },
  })
}

export interface ScriptedSource extends ListenSource {
  send(...events: readonly AaepFrame[]): void
  end(): void
  /** Token and answer of each reply, in order. */
  readonly replies: readonly (readonly [string, Answer])[]
  /** Makes every reply fail with this. */
  failWith(error: Error): void
  /** Makes every reply resolve with this. */
  answerWith(receipt: AaepReceipt): void
}

/** A session that a test plays. */
export function createScriptedSource(): ScriptedSource {
  const bell = createBell()
  const events: AaepFrame[] = []
  const replies: (readonly [string, Answer])[] = []
  let hasEnded = false
  let failure: Error | undefined
  let receipt: AaepReceipt = {}
  return {
    send(...more) {
      events.push(...more)
      bell.ring()
    },
    end() {
      hasEnded = true
      bell.ring()
    },
    replies,
    failWith(error) {
      failure = error
    },
    answerWith(given) {
      receipt = given
    },
    async reply({ reply_token }, answer) {
      if (failure !== undefined) throw failure
      replies.push([reply_token, answer])
      return receipt
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = events.shift()
        if (next !== undefined) yield next
        else if (hasEnded) return
        else await bell.wait()
      }
    },
  }
}
