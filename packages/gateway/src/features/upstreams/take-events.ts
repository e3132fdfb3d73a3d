import { type JsonObject, SluiceError, type SseMessage } from '@sluice/protocol'
import { toCompactAaepType } from '@sluice/protocol/dialects'
import type { Caller } from '../../access/caller.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { createPublisher, toSized } from '../../kernel/sessions/publishing.ts'
import type { Session } from '../../kernel/sessions/session.ts'
import { toInfo } from '../../kernel/sessions/session-info.ts'
import { findEvent } from '../aaep/find-event.ts'
import { placeSession, type SessionPlace } from './place-session.ts'
import { skipKnownText } from './skip-known-text.ts'
import { readUpstreamEvent, type UpstreamEvent, withSafeDecision } from './upstream-event.ts'

export interface EventTakerParts {
  readonly kernel: Kernel
  readonly caller: Caller
  readonly labels: Readonly<Record<string, string>>
  /** Whether this producer brought the session, and it has not ended. */
  isFollowed(session: string): boolean
  /** Called before a session is written; nothing is stored in it until this resolves. */
  onSession(session: Session): Promise<void>
}

/** Stores the events of a remote producer in the sessions that they name. */
export interface EventTaker {
  /**
   * Resolves when the events are stored, in order. Rejects as publishing does, with none or some of them
   * stored.
   */
  take(messages: readonly SseMessage[], signal: AbortSignal): Promise<void>
  /** Reading starts again, and the producer may repeat what it sent. */
  restart(): void
}

/** How many sessions are remembered with their place; others are looked up again. */
const maxKnown = 10_000
const streamingType = 'aaep:agent.output.streaming'

export function createEventTaker({
  kernel,
  caller,
  labels,
  isFollowed,
  onSession,
}: EventTakerParts): EventTaker {
  const { logger, metrics } = kernel
  const dialect = kernel.dialect('aaep')
  const known = new Map<string, SessionPlace>()
  /** Texts that have continued since reading started: what follows cannot be a repetition. */
  let goingOn = new Set<string>()

  const isOurs = ({ id, head }: Session): boolean =>
    isFollowed(id) || (head !== undefined && toInfo(head.info).writer === caller.subject)

  const placeOf = async (event: UpstreamEvent): Promise<SessionPlace> => {
    if (known.has(event.session)) return known.get(event.session)
    const place = await placeSession(kernel.directory, isOurs, event)
    if (place === undefined)
      logger.info({ session: event.session, subject: caller.subject }, 'a session is here from somebody else')
    known.set(event.session, place)
    const [oldest] = known.keys()
    if (known.size > maxKnown && oldest !== undefined) known.delete(oldest)
    return place
  }

  /** The event as it is stored; undefined when it adds nothing. */
  const toStored = async (
    session: Session,
    { value, id }: UpstreamEvent,
    { isRenamed }: { readonly isRenamed: boolean },
  ): Promise<JsonObject | undefined> => {
    const safe = withSafeDecision(value)
    if (safe !== value)
      logger.warn({ session: session.id, subject: caller.subject }, 'an unsafe default was changed')
    const named = isRenamed ? { ...safe, session_id: session.id } : safe
    if (!isLooked(session, value)) return named
    const rest =
      session.head === undefined ? named : skipKnownText(await session.stateAt(session.lastSeq), named)
    if (rest === named) goingOn.add(textKey(session, value))
    if (rest === named || rest === undefined) return rest
    // Otherwise an event that is already stored would be stored again with another text.
    const isKnown = id !== undefined && (await findEvent(session, id)) !== undefined
    return isKnown ? named : rest
  }

  /** Whether the text stored so far must be checked before more of it is stored. */
  const isLooked = (session: Session | undefined, value: JsonObject): boolean =>
    isStreaming(value) && (session === undefined || !goingOn.has(textKey(session, value)))

  const publish = async (session: Session, texts: readonly string[]): Promise<void> => {
    if (texts.length === 0) return
    const { eventBytes } = kernel.config.limits
    const publisher = createPublisher(kernel, {
      session,
      caller,
      dialect,
      claim: undefined,
      trace: undefined,
      info: { owner: caller.subject, writer: caller.subject, labels },
      atomic: false,
      writer: caller.subject,
    })
    await publisher.publish(texts.map((text, index) => toSized(text, index + 1, eventBytes)))
    const { tally } = publisher
    metrics.upstreamEvents('accepted', tally.accepted)
    metrics.upstreamEvents('duplicate', tally.duplicates)
    metrics.upstreamEvents('refused', tally.refusedCount)
    const [refused] = tally.refused
    if (refused !== undefined)
      logger.info(
        { session: session.id, subject: caller.subject, code: refused.code, count: tally.refusedCount },
        'events of an upstream were refused',
      )
  }

  const takeAll = async (messages: readonly SseMessage[]): Promise<void> => {
    let session: Session | undefined
    let texts: string[] = []
    const flush = async (): Promise<void> => {
      const ready = texts
      texts = []
      if (session !== undefined) await publish(session, ready)
    }
    for (const { data } of messages) {
      const event = readUpstreamEvent(data)
      const place = event === undefined ? undefined : await placeOf(event)
      if (event === undefined || place === undefined) {
        metrics.upstreamEvents(event === undefined ? 'refused' : 'duplicate', 1)
        continue
      }
      if (session?.id !== place.id || isLooked(session, event.value)) await flush()
      if (session?.id !== place.id) {
        session = await kernel.directory.open(place.id)
        if (!session.isEnded) await onSession(session)
      }
      const stored = await toStored(session, event, { isRenamed: place.isRenamed })
      if (stored !== undefined) texts.push(stored === event.value ? data : JSON.stringify(stored))
    }
    await flush()
  }

  return {
    async take(messages, signal) {
      const bytes = messages.reduce((sum, { data }) => sum + data.length, 0)
      const release = await kernel.pending.wait(bytes, signal)
      try {
        await takeAll(messages)
      } catch (error) {
        if (!(error instanceof SluiceError && error.code === 'session_deleted')) throw error
        // Deleted here in the meantime: the session will be looked up again, and skipped.
        known.clear()
        throw error
      } finally {
        release()
      }
    },
    restart() {
      goingOn = new Set()
    },
  }
}

function textKey({ id }: Session, { output_id: output }: JsonObject): string {
  return typeof output === 'string' ? `${id} ${output}` : id
}

function isStreaming({ type }: JsonObject): boolean {
  return typeof type === 'string' && toCompactAaepType(type) === streamingType
}
