import type { ServerResponse } from 'node:http'
import {
  encodeSse,
  type Outcome,
  type QuestionClose,
  type QuestionOpen,
  type SluiceEvent,
} from '@sluice/protocol'
import type { PublishedFrame } from '../frames.ts'
import type { Input } from '../resources.ts'
import { createNumberingStore } from './numbering-store.ts'
import { answerJson, openSse, type Peer, startPeer } from './peer.ts'

type Said = Input extends infer Each ? (Each extends Input ? Omit<Each, 'seq' | 'at'> : never) : never

export interface SessionPeer extends Peer {
  /** The published events and the inputs to the agent, in the order of the session. */
  readonly log: readonly { readonly direction: 'event' | 'input'; readonly events: readonly SluiceEvent[] }[]
  /** Everything that the agent has published. */
  published(): readonly SluiceEvent[]
  /** Resolves with the last event of this kind, once there is one. */
  untilPublished<Kind extends SluiceEvent['kind']>(kind: Kind): Promise<Extract<SluiceEvent, { kind: Kind }>>
  /** Sends something to the agent. */
  say(input: Said): void
  /** Ends the session without its agent. */
  end(outcome: Outcome): void
  /** Breaks the connection of every reader, as a restart does. */
  drop(): void
}

export interface SessionPeerOptions {
  /** Answers a question as soon as it is stored. */
  readonly answer?: (question: QuestionOpen) => Omit<QuestionClose, 'kind' | 'token'> | undefined
  /** Answers a request instead of the peer; true when it did. */
  readonly intercept?: (path: string, response: ServerResponse) => boolean
}

/**
 * A gateway with one session, `sess_peer`: numbers published events, and sends the inputs of `say` to the
 * agent.
 */
export async function startSessionPeer(options: SessionPeerOptions = {}): Promise<SessionPeer> {
  const store = createNumberingStore()
  const log: { direction: 'event' | 'input'; events: readonly SluiceEvent[] }[] = []
  const inputs: { readonly cursor: string; readonly sse: string }[] = []
  const readers = new Set<ServerResponse>()
  let waiters: (() => void)[] = []
  let isEnded = false
  let taken = 0

  const tell = (sse: string): void => {
    for (const reader of readers) reader.write(sse)
  }

  function say(input: Said): void {
    const seq = log.length
    const { type, ...said } = input
    const close = { kind: 'question-close', how: 'answered', ...said } as QuestionClose // what an answer holds
    const events = type === 'answer' ? [close] : []
    log.push({ direction: 'input', events })
    const sse = encodeSse({ id: String(seq), data: JSON.stringify({ seq, at: 0, ...input }) })
    inputs.push({ cursor: String(seq), sse })
    tell(sse)
  }

  function end(outcome: Outcome): void {
    isEnded = true
    tell(encodeSse({ event: 'sluice.end', data: JSON.stringify({ outcome }) }))
    for (const reader of readers) reader.end()
  }

  function takeStored(): void {
    for (const stored of store.stored.slice(taken)) {
      taken += 1
      const { events } = stored as PublishedFrame // what a session publishes
      log.push({ direction: 'event', events })
      for (const event of events) {
        if (event.kind === 'session-end') end(event.outcome)
        if (event.kind !== 'question-open') continue
        const answer = options.answer?.(event)
        if (answer !== undefined) say({ type: 'answer', token: event.token, ...answer } as Said)
      }
    }
    for (const wake of waiters) wake()
    waiters = []
  }

  const published = () => log.flatMap(({ direction, events }) => (direction === 'event' ? events : []))

  const peer = await startPeer((request, response) => {
    const { pathname, searchParams } = request.url
    if (options.intercept?.(pathname, response) === true) return
    if (pathname === '/v1/sessions') answerJson(response, { id: 'sess_peer' }, { status: 201 })
    else if (pathname === '/v1/sessions/sess_peer')
      answerJson(response, { session: { outcome: 'completed' }, cursor: String(log.length - 1) })
    else if (!pathname.endsWith('/inputs')) {
      store.handle(request, response)
      takeStored()
    } else if (isEnded) response.writeHead(204).end()
    else {
      openSse(response)
      readers.add(response.on('close', () => readers.delete(response)))
      const after = Number(searchParams.get('after'))
      for (const { cursor, sse } of inputs) if (Number(cursor) > after) response.write(sse)
    }
  })
  return {
    ...peer,
    log,
    published,
    async untilPublished(kind) {
      for (;;) {
        const found = published().findLast((event) => event.kind === kind)
        // Of the requested kind, see above.
        if (found !== undefined) return found as Extract<SluiceEvent, { kind: typeof kind }>
        await new Promise<void>((resolve) => waiters.push(resolve))
      }
    },
    say,
    end,
    drop() {
      for (const reader of readers) reader.socket?.resetAndDestroy()
    },
  }
}
