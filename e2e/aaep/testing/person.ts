import { openSocket } from '../../hostile/socket.ts'
import { until } from '../../testing/until.ts'
import { type AaepReading, isOfType, toReply, waitForEvent } from './aaep-reading.ts'
import { aaepTransports } from './aaep-transports.ts'

/** Somebody who reads a session, answers its questions, and hears the outcomes. */
export interface Person {
  /** How the audit names this way to answer. */
  readonly via: 'http' | 'ws' | 'aaep'
  /** Resolves with the token of the last question when it has seen `count`. */
  sees(count: number): Promise<string>
  answer(token: string, decision: string): Promise<void>
  /** Resolves when it has heard `count` outcomes. */
  hears(count: number): Promise<void>
  /** How many questions it saw, and how many outcomes it heard. */
  counts(): { readonly questions: number; readonly outcomes: number }
  /** Breaks its connection. */
  cut(): void
}

export interface PersonRequest {
  readonly url: string
  readonly key: string
  readonly session: string
  /** For reading under `/v1`. */
  readonly dialect?: string
}

/** Something to ask people about. */
export const deletion = {
  action: 'Delete 3 files',
  consequence: 'They are gone.',
  irreversible: true,
  timeoutMs: 600_000,
} as const

const capabilities = { supports_confirmation_reply: true, supports_clarification_reply: true }

/** Reads AAEP. */
async function meetWithAaep(transport: 'sse' | 'ws', request: PersonRequest): Promise<Person> {
  const { url, key, session } = request
  return toPerson(await aaepTransports[transport]({ url, key, terms: capabilities, sessions: [session] }))
}

/** A person who reads and answers on this connection. */
export function toPerson(reading: AaepReading): Person {
  const isQuestion = isOfType('awaiting.confirmation')
  const isOutcome = (event: AaepReading['events'][number]): boolean =>
    event['from_state'] === 'awaiting_input'
  return {
    via: 'aaep',
    async sees(count) {
      let seen = 0
      const question = await waitForEvent(reading, (event) => isQuestion(event) && ++seen === count)
      return String(question['reply_token'])
    },
    answer: (token, decision) => reading.say(toReply(token, decision, reading.subscription)),
    async hears(count) {
      let heard = 0
      await waitForEvent(reading, (event) => isOutcome(event) && ++heard === count)
    },
    counts: () => ({
      questions: reading.events.filter(isQuestion).length,
      outcomes: reading.events.filter(isOutcome).length,
    }),
    cut: reading.cut,
  }
}

// Every dialect carries the event itself if it has no form for it; AAEP has one for a question.
const openedPattern = /(?:"kind":"question-open"[^}]*?"token"|"reply_token"):"([^"]+)"/g
const closedPattern = /"kind":"question-close"[^}]*?"token":"([^"]+)"/g

/** Reads under `/v1` over a WebSocket, in any dialect; answers there or by POST. */
async function meetUnderV1(via: 'http' | 'ws', request: PersonRequest): Promise<Person> {
  const { url, key, session, dialect = 'sluice' } = request
  const socket = await openSocket(Number(new URL(url).port), { key })
  await socket.ask({ type: 'subscribe', ref: 'read', session, dialect })
  const tokensOf = (pattern: RegExp): readonly string[] =>
    socket.messages
      .filter(({ type }) => type === 'frames')
      .flatMap((message) => [...JSON.stringify(message).matchAll(pattern)].map(([, token = '']) => token))
  const see = async (pattern: RegExp, count: number): Promise<string> => {
    await until(() => tokensOf(pattern).length >= count)
    return tokensOf(pattern)[count - 1] ?? ''
  }
  return {
    via,
    sees: (count) => see(openedPattern, count),
    async answer(token, decision) {
      if (via === 'ws') {
        const answer = await socket.ask({ type: 'answer', ref: `answer ${token}`, session, token, decision })
        if (answer['type'] !== 'done') throw new Error(JSON.stringify(answer))
        return
      }
      const response = await fetch(`${url}/v1/sessions/${session}/answers`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ token, decision }),
      })
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    },
    async hears(count) {
      await see(closedPattern, count)
    },
    counts: () => ({
      questions: tokensOf(openedPattern).length,
      outcomes: tokensOf(closedPattern).length,
    }),
    cut: socket.close,
  }
}

/** All ways to read and answer. */
export const waysToAnswer: Readonly<Record<string, (request: PersonRequest) => Promise<Person>>> = {
  'AAEP with SSE and POST': (request) => meetWithAaep('sse', request),
  'AAEP over WebSocket': (request) => meetWithAaep('ws', request),
  'POST …/answers': (request) => meetUnderV1('http', request),
  'the WebSocket /v1/ws': (request) => meetUnderV1('ws', request),
}
