import { SluiceError } from '@sluice/protocol'
import type { ConnectionListener } from '../connection-state.ts'
import { createProducerName } from '../producer.ts'
import { type Call, type Requester, readJson } from '../requester.ts'
import { type Attempt, type StayConnectedOptions, stayConnected } from '../stay-connected.ts'
import type { AaepAccepted } from './messages.ts'
import { isPassing, toRejection } from './rejection.ts'

export const aaepRoot = '/aaep/v1'

/** Requests a subscription, or looks up an existing one. */
export type Handshake = { readonly request: string } | { readonly subscription: string }

export interface HandshakeParts extends StayConnectedOptions {
  readonly requester: Requester
}

/** How long an answer may take before the request is repeated. */
const patienceMs = 30_000

/**
 * Resolves when the subscription is accepted, and waits for as long as no gateway answers. Rejects if it is
 * refused; the error of a `subscription.rejected` has `reason_code` in its details.
 */
export async function shakeHands(handshake: Handshake, parts: HandshakeParts): Promise<AaepAccepted> {
  const call = toCall(handshake)
  const { onConnection } = parts
  // The connection outlives the handshake.
  const report: ConnectionListener | undefined =
    onConnection && ((state) => (state.status === 'closed' ? undefined : onConnection(state)))
  const verdicts = stayConnected((attempt) => ask(call, attempt, parts), { ...parts, onConnection: report })
  for await (const verdict of verdicts) {
    if (verdict instanceof SluiceError) throw verdict
    return verdict
  }
  throw new SluiceError('gateway_unreachable')
}

/** The current terms of a subscription. Gives the attempt up if no answer arrives in time. */
export async function findSubscription(
  subscription: string,
  attempt: Attempt,
  { requester, clock }: Pick<HandshakeParts, 'requester' | 'clock'>,
): Promise<AaepAccepted> {
  const timer = clock.after(patienceMs, () => attempt.giveUp(new SluiceError('request_timeout')))
  try {
    const response = await requester.request({ ...toCall({ subscription }), signal: attempt.signal })
    return await readJson<AaepAccepted>(response, attempt.signal)
  } finally {
    timer.clear()
  }
}

function toCall(handshake: Handshake): Call {
  if ('subscription' in handshake) return { root: aaepRoot, path: ['subscriptions', handshake.subscription] }
  // All attempts use one key, so that a lost answer does not leave an orphaned subscription.
  const headers = { 'idempotency-key': createProducerName() }
  return { root: aaepRoot, method: 'POST', path: ['subscriptions'], body: handshake.request, headers }
}

/** Yields one verdict; throws failures that may pass. */
async function* ask(
  call: Call,
  attempt: Attempt,
  { requester, clock }: HandshakeParts,
): AsyncGenerator<AaepAccepted | SluiceError, void> {
  const timer = clock.after(patienceMs, () => attempt.giveUp(new SluiceError('request_timeout')))
  try {
    const answer = await requester.exchange({ ...call, signal: attempt.signal })
    if (answer.ok) yield await readJson<AaepAccepted>(answer.response, attempt.signal)
    else yield judge(answer.error)
  } finally {
    timer.clear()
  }
}

/** A rejection is final, even if the code of its HTTP status is retryable, unless its reason may pass. */
function judge(error: SluiceError): SluiceError {
  const rejection = toRejection(error)
  if (rejection === undefined || isPassing(rejection.details?.['reason_code'])) throw rejection ?? error
  return rejection
}
