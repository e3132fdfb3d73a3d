import { type JsonValue, omitUndefined, SluiceError, startCursor } from '@sluice/protocol'
import { type AaepMessage, aaepLanguages } from '@sluice/protocol/dialects'
import type { Caller } from '../../access/caller.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { answerToken } from '../../kernel/questions/answer-token.ts'
import type { AnswererPlace } from '../../kernel/questions/answerers.ts'
import { targetOf } from '../../kernel/sessions/session-target.ts'
import type { Offer, Rejection } from './agreement.ts'
import { sessionsSince } from './covered-sessions.ts'
import { asItStands } from './join-places.ts'
import { aaepExtensions, createManifest, type Manifest } from './manifest.ts'
import { negotiate, renegotiate } from './negotiate.ts'
import { toAccepted } from './negotiate-answer.ts'
import type { SessionChoice } from './negotiate-choice.ts'
import { toRejection } from './negotiate-rejection.ts'
import { type OpeningConnection, type OpenSubscription, openSubscription } from './open-subscription.ts'
import { createTextCutter } from './pacing/text-cutter.ts'
import { readReply } from './read-reply.ts'
import { createRegistry } from './registry.ts'
import type { Place, Places } from './registry-history.ts'
import type { Subscription } from './registry-subscription.ts'
import { createSessionListeners } from './session-listeners.ts'
import type { SigningKeys } from './signing-keys.ts'

type Accepted = AaepMessage<'subscription.accepted'>

/** The result of a `subscription.request`. */
export type Subscribed =
  | {
      readonly ok: true
      /** False: it existed before. */
      readonly isNew: boolean
      readonly subscription: Subscription
      readonly accepted: Accepted
      readonly lastEventId?: string
    }
  | Rejection

/** What a connection contributes besides the request itself. */
export interface Asker {
  readonly caller: Caller
  /** From the query of the address; the request overrides it. */
  readonly choice?: SessionChoice
  /** A repeated request with the same key returns what the first one created. */
  readonly key?: string
  /** The base address of the gateway as the client knows it, for the link to the manifest. */
  readonly origin?: string
}

/** Creates the subscriptions of assistive clients, opens them, and takes the clients' replies. */
export interface Subscriptions {
  start(): Promise<void>
  stop(): Promise<void>
  readonly manifest: Manifest
  readonly keys: SigningKeys
  /** Evaluates a request. Never rejects: failures are rejections too. */
  subscribe(message: unknown, asker: Asker): Promise<Subscribed>
  find(caller: Caller, id: string): Promise<Subscription | undefined>
  accepted(subscription: Subscription, asker: Asker, notes?: string): Promise<Accepted>
  /** Starts sending; resets the connection that was open before. */
  open(subscription: Subscription, caller: Caller, opening: OpeningConnection): Promise<OpenSubscription>
  /** Takes a reply; resolves to whether it counts. Throws `bad_request` when the message is not a reply. */
  reply(message: JsonValue, caller: Caller): Promise<boolean>
  /** Negotiates other terms for a subscription; a rejection ends it. */
  renegotiate(subscription: Subscription, message: JsonValue, asker: Asker): Promise<Accepted | Rejection>
  /** The client ends the subscription, and will answer no further questions. */
  close(subscription: Subscription, caller: Caller): Promise<void>
  /** The client is gone and cannot reconnect; open questions keep waiting until they time out. */
  drop(subscription: Subscription): Promise<void>
}

/** The most running sessions that a subscription to all sessions joins. */
const maxUnderWay = 1000

export function createSubscriptions(kernel: Kernel, keys: SigningKeys): Subscriptions {
  const { config, log, clock } = kernel
  const listeners = createSessionListeners()
  kernel.onCommit(listeners.committed)
  const cutter = createTextCutter()
  const registry = createRegistry({ log, clock, limits: config.aaep })
  const manifest = createManifest({ config: config.aaep, languages: aaepLanguages, keys })
  const opened = new Map<string, OpenSubscription>()
  const opening = new Map<string, Promise<void>>()
  const answerers = new Map<string, AnswererPlace>()
  const watched = new WeakSet<Subscription>()

  const offerTo = (caller: Caller): Offer => ({
    languages: aaepLanguages,
    extensions: aaepExtensions,
    isSigned: manifest.isSigned,
    canAnswer: caller.canSome('answer'),
  })

  /** A client that can answer counts as an answerer as soon as it says so. */
  const enrol = (subscription: Subscription, caller: Caller): void => {
    answerers.get(subscription.id)?.drop()
    answerers.delete(subscription.id)
    const { canConfirm, canClarify } = subscription.terms
    if (!canConfirm && !canClarify) return
    const { sessions } = subscription
    const place = kernel.questions.answerers.enrol({
      reaches: (session) => sessions?.includes(session.id) !== false && caller.can('answer', session),
    })
    answerers.set(subscription.id, place)
    // close() removes the place first, because it leaves it instead of dropping it.
    const forget = (): void => {
      answerers.get(subscription.id)?.drop()
      answerers.delete(subscription.id)
    }
    if (subscription.closed.aborted) forget()
    else if (!watched.has(subscription)) subscription.closed.addEventListener('abort', forget, { once: true })
    watched.add(subscription)
  }

  const accepted: Subscriptions['accepted'] = async (subscription, { origin }, notes) => {
    const signed = await manifest.signed()
    return toAccepted({
      id: subscription.id,
      honored: subscription.honored,
      producer: manifest.producer,
      ...omitUndefined({
        notes,
        manifestUri: origin === undefined ? undefined : `${origin}/.well-known/aaep-manifest.json`,
        signedManifest: signed,
      }),
    })
  }

  /** The places of the running sessions when a client subscribes to all of them. */
  const underWay = async (caller: Caller, after: 'start' | 'now'): Promise<Places> => {
    const places = new Map<string, Place>()
    for await (const session of sessionsSince(kernel, caller, { since: 0, isUnderWay: true })) {
      places.set(session.id, after === 'start' ? startCursor : asItStands(session))
      if (places.size >= maxUnderWay) break
    }
    return places
  }

  /** The places of the sessions that a client names. Throws `forbidden` when it may not read one of them. */
  const placesOf = async (caller: Caller, sessions: readonly string[]): Promise<Places> => {
    const places = new Map<string, Place>()
    for (const id of sessions) {
      const session = await kernel.directory.find(id)
      const target = session === undefined ? { id, labels: {} } : targetOf(session)
      if (!caller.can('subscribe', target)) throw new SluiceError('forbidden')
      places.set(id, session === undefined ? startCursor : asItStands(session))
    }
    return places
  }

  const create = async (message: unknown, asker: Asker): Promise<Subscribed> => {
    const { caller } = asker
    const made = asker.key === undefined ? undefined : await registry.findByKey(asker.key, caller.subject)
    if (made !== undefined)
      return { ok: true, isNew: false, subscription: made, accepted: await accepted(made, asker) }
    const judged = negotiate(message, offerTo(caller))
    if (!judged.ok) return judged
    const choice = { ...asker.choice, ...judged.choice }
    if (choice.subscriptionId !== undefined) {
      const known = await registry.find(choice.subscriptionId, caller.subject)
      if (known === undefined) return toRejection('forbidden')
      await known.renegotiate(judged.honored)
      enrol(known, caller)
      const { lastEventId } = choice
      const answer = await accepted(known, asker, judged.notes)
      return omitUndefined({
        ok: true,
        isNew: false,
        subscription: known,
        accepted: answer,
        lastEventId,
      })
    }
    const { sessions } = choice
    const after = choice.after ?? (sessions === undefined ? 'now' : 'start')
    if (!caller.canSome('subscribe')) throw new SluiceError('forbidden')
    const standing = sessions === undefined ? undefined : await placesOf(caller, sessions)
    // Named sessions without a place are read from their start.
    const named = after === 'now' ? standing : undefined
    const places = sessions === undefined ? await underWay(caller, after) : named
    const fields = omitUndefined({
      subject: caller.subject,
      subscriber: judged.subscriber,
      honored: judged.honored,
      after,
      sessions,
      places,
    })
    const subscription = await registry.create(fields, asker.key)
    enrol(subscription, caller)
    return {
      ok: true,
      isNew: true,
      subscription,
      accepted: await accepted(subscription, asker, judged.notes),
    }
  }

  /** A client that connects waits for the previous one to finish connecting, and replaces it. */
  const inTurn = <T>(id: string, run: () => Promise<T>): Promise<T> => {
    const turn = (opening.get(id) ?? Promise.resolve()).then(run)
    const over = turn
      .then(
        () => {},
        () => {},
      )
      .then(() => {
        if (opening.get(id) === over) opening.delete(id)
      })
    opening.set(id, over)
    return turn
  }

  const connect: Subscriptions['open'] = async (subscription, caller, opening) => {
    opened.get(subscription.id)?.stream.reset()
    const detach = subscription.attach()
    let open: OpenSubscription | undefined
    const end = (): void => {
      open?.stream.close()
      opening.connection.finish()
    }
    const onClosed = (): void => {
      detach()
      subscription.closed.removeEventListener('abort', end)
      if (opened.get(subscription.id) === open) opened.delete(subscription.id)
    }
    try {
      if (!answerers.has(subscription.id)) enrol(subscription, caller)
      const parts = {
        kernel,
        listeners,
        cutter,
        subscription,
        caller,
        ...opening,
        onClosed,
      }
      open = await openSubscription(parts)
    } catch (error) {
      onClosed()
      throw error
    }
    if (subscription.closed.aborted) {
      open.stream.close()
      throw new SluiceError('unknown_subscription')
    }
    opened.set(subscription.id, open)
    subscription.closed.addEventListener('abort', end)
    return open
  }

  return {
    manifest,
    keys,
    start: () => registry.start(),
    async stop() {
      for (const { stream } of [...opened.values()]) stream.reset()
      await registry.stop()
    },
    async subscribe(message, asker) {
      if (kernel.isDraining) return toRejection('closed')
      try {
        return await create(message, asker)
      } catch (error) {
        if (error instanceof SluiceError) return toRejection(error.code)
        kernel.logger.error({ err: error }, 'a subscription failed')
        return toRejection('internal')
      }
    },
    find: (caller, id) => registry.find(id, caller.subject),
    accepted,
    open: (subscription, caller, opening) =>
      inTurn(subscription.id, () => connect(subscription, caller, opening)),
    async reply(message, caller) {
      return answerToken(kernel, { caller, answer: readReply(message), via: 'aaep' })
    },
    async renegotiate(subscription, message, asker) {
      const judged = renegotiate(subscription.honored, message, offerTo(asker.caller))
      if (!judged.ok) {
        await registry.close(subscription.id)
        return judged
      }
      await subscription.renegotiate(judged.honored)
      enrol(subscription, asker.caller)
      await opened.get(subscription.id)?.renegotiate()
      return accepted(subscription, asker, judged.notes)
    },
    drop: (subscription) => registry.close(subscription.id),
    async close(subscription, caller) {
      const place = answerers.get(subscription.id)
      answerers.delete(subscription.id)
      await registry.close(subscription.id)
      await place?.leave(caller)
    },
  }
}
