import { type Clock, type JsonObject, SluiceError } from '@sluice/protocol'
import { followSignal } from '../follow-signal.ts'
import { type Requester, readJson } from '../requester.ts'
import type { Abortable } from '../sessions.ts'
import { aaepRoot } from './handshake.ts'
import type { AaepAccepted, AaepQuestion, AaepTerms } from './messages.ts'
import { isPassing, reasonOf, toRejection } from './rejection.ts'

export interface ReplyOptions extends Abortable {
  /** Who decided, if not the subscriber. The gateway itself goes by the credential. */
  readonly decidedBy?: string
  /** The reason for the decision on a confirmation. */
  readonly rationale?: string
}

/** What a gateway says about a reply. */
export interface AaepReceipt {
  /** Whether the reply decided its question; absent if the producer does not say. */
  readonly counted?: boolean
}

/** What a subscriber sends after its request (AAEP §5, §6). Waits until the subscription is accepted. */
export interface Replies {
  reply(
    question: AaepQuestion,
    answer: string | number | boolean,
    options?: ReplyOptions,
  ): Promise<AaepReceipt>
  send(message: JsonObject, signal: AbortSignal | undefined): Promise<void>
  /** The terms that apply from then on, or the error of the refusal that ended the subscription. */
  renegotiate(terms: AaepTerms, signal: AbortSignal | undefined): Promise<AaepAccepted | SluiceError>
  close(reason: string | undefined, signal: AbortSignal | undefined): Promise<void>
}

export interface RepliesParts {
  readonly requester: Requester
  readonly clock: Clock
  readonly accepted: Promise<AaepAccepted>
}

/** How long a negotiation of new terms may take: a connection that opens meanwhile waits for it. */
const patienceMs = 30_000

export function createReplies({ requester, clock, accepted }: RepliesParts): Replies {
  async function post(message: object, signal: AbortSignal | undefined): Promise<Response> {
    const { subscription_id } = await accepted
    const body = JSON.stringify({ ...message, subscription_id })
    return requester.repeat({ root: aaepRoot, method: 'POST', path: ['replies'], body, signal })
  }

  return {
    async reply(question, answer, { signal, decidedBy, rationale } = {}) {
      const said = toReply(question, answer)
      const timestamp = new Date(clock.now()).toISOString()
      const why = 'decision' in said ? { decision_rationale: rationale } : {}
      const { headers } = await post({ ...said, ...why, timestamp, decided_by: decidedBy }, signal)
      const counted = headers.get('sluice-counted')
      return counted === null ? {} : { counted: counted === 'true' }
    },
    async send(message, signal) {
      await post(message, signal)
    },
    async renegotiate(capabilities, signal) {
      await accepted
      const { controller, release } = followSignal(signal)
      const timer = clock.after(patienceMs, () => controller.abort(new SluiceError('request_timeout')))
      try {
        const message = { type: 'subscription.renegotiate', capabilities }
        const response = await post(message, controller.signal)
        return await readJson<AaepAccepted>(response, controller.signal)
      } catch (error) {
        const rejection = error instanceof SluiceError ? toRejection(error) : undefined
        if (rejection === undefined || isPassing(reasonOf(rejection))) throw rejection ?? error
        return rejection
      } finally {
        timer.clear()
        release()
      }
    },
    async close(reason = 'The subscriber has ended.', signal) {
      const why = { reason_code: 'subscriber_shutdown', reason_message: reason }
      await post({ type: 'subscription.close', ...why }, signal)
    },
  }
}

function toReply({ type, reply_token }: AaepQuestion, answer: string | number | boolean) {
  const kind = /agent\.awaiting\.(confirmation|clarification)$/.exec(type)?.[1]
  if (kind === undefined || typeof reply_token !== 'string')
    throw new SluiceError('bad_request', { message: 'Only a question can be replied to.' })
  return kind === 'confirmation'
    ? { type: 'confirmation.reply', reply_token, decision: answer }
    : { type: 'clarification.reply', reply_token, response: answer }
}
