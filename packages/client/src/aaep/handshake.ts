import { SluiceError } from '@sluice/protocol'
import type { ConnectionListener } from '../connection-state.ts'
import { createProducerName } from '../producer.ts'
import { type Call, type Requester, readJson } from '../requester.ts'
import { type Attempt, type StayConnectedOptions, stayConnected } from '../stay-connected.ts'
import type { AaepAccepted } from './messages.ts'
import { isPassing, toRejection } from './rejection.ts'

export const aaepRoot = '/aaep/v1'

/** A subscription is asked for, or one that stands is asked after. */
export type Handshake = { readonly request: string } | { readonly subscription: string }

export interface HandshakeParts extends StayConnectedOptions {
  readonly requester: Requester
}

/** How long an answer may take before the request is made again. */
const patienceMs = 30_000

/**
 * Resolves when the subscription stands, however long no gateway answers. Rejects when it was refused; the error of a
 * `subscription.rejected` has `reason_code` in its details.
 */
export async function shakeHands(handshake: Handshake, parts: HandshakeParts): Promise<AaepAccepted> {
  const call = toCall(handshake)
  const { onConnection } = parts
  // The connection goes on where the handshake ends.
  const report: ConnectionListener | undefined =
    onConnection && ((state) => (state.status === 'closed' ? undefined : onConnection(state)))
  const verdicts = stayConnected((attempt) => ask(call, attempt, parts), { ...parts, onConnection: report })
  for await (const verdict of verdicts) {
    if (verdict instanceof SluiceError) throw verdict
    return verdict
  }
  throw new SluiceError('gateway_unreachable')
}

/** The terms of a subscription as they stand. Gives the attempt up when no answer comes. */
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
  // The same key all the time: an answer that got lost must not leave a subscription behind that nobody knows.
  const headers = { 'idempotency-key': createProducerName() }
  return { root: aaepRoot, method: 'POST', path: ['subscriptions'], body: handshake.request, headers }
}

/** Yields one verdict; throws what may pass. */
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

/** A rejection is a verdict, though the code of its status may say that a repetition could help. */
function judge(error: SluiceError): SluiceError {
  const rejection = toRejection(error)
  if (rejection === undefined || isPassing(rejection.details?.['reason_code'])) throw rejection ?? error
  return rejection
}
