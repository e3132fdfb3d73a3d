import { isJsonObject, type JsonObject, SluiceError } from '@sluice/protocol'
import { encodeBatch, type Pending } from './batch.ts'
import { followSignal } from './follow-signal.ts'
import { type InsistOptions, insist } from './insist.ts'
import { isRetryable } from './problem.ts'
import { formatProducer, type ProducerPosition, readProducer } from './producer.ts'
import { type Exchange, type Requester, readJson } from './requester.ts'

export interface DeliverParts extends Omit<InsistOptions, 'maxTries' | 'maxWaitMs'> {
  readonly requester: Requester
  readonly session: string
  readonly dialect: string | undefined
  /** How long an answer may take before the request is made again. */
  readonly timeoutMs: number
}

/** What became of a batch: these are settled, those have to be sent again, from that position on. */
export interface Delivered {
  readonly position: ProducerPosition
  readonly rest: readonly Pending[]
}

/** A gap that stays after so many looks at the gateway's number is not ours to mend. */
const maxResyncs = 3

/**
 * Sends one batch until the gateway has answered for it, however often that takes: numbered events are stored once.
 * Settles every event of which the gateway has told the fate. Throws what no repetition mends.
 */
export async function deliver(
  batch: readonly Pending[],
  start: ProducerPosition,
  parts: DeliverParts,
): Promise<Delivered> {
  const { requester, signal, session } = parts
  let position = start
  for (let resyncs = 0; ; resyncs++) {
    const answer = await insist(() => post(batch, position, parts), parts)
    if (answer.ok) {
      for (const pending of batch) pending.resolve({ cursor: answer.cursor })
      return { position: { ...position, seq: position.seq + batch.length }, rest: [] }
    }
    const { error } = answer
    if (error.code === 'producer_gap' && resyncs < maxResyncs) {
      const last = await insist(() => readProducer(requester, session, position.name, signal), parts)
      position = resync(position, last)
      continue
    }
    const rest = settleRefused(batch, error)
    if (rest === undefined) throw error
    return { position, rest }
  }
}

type Posted = { readonly ok: true; readonly cursor: string } | Extract<Exchange, { ok: false }>

/** One request; throws what may pass. */
async function post(
  batch: readonly Pending[],
  position: ProducerPosition,
  { requester, clock, session, dialect, signal, timeoutMs }: DeliverParts,
): Promise<Posted> {
  const { controller, release } = followSignal(signal)
  const timer = clock.after(timeoutMs, () => controller.abort(new SluiceError('request_timeout')))
  try {
    const answer = await requester.exchange({
      method: 'POST',
      path: ['sessions', session, 'events'],
      query: { dialect },
      headers: { 'sluice-producer': formatProducer(position) },
      body: encodeBatch(batch),
      signal: controller.signal,
    })
    if (!answer.ok && isRetryable(answer.error)) throw answer.error
    if (!answer.ok) return answer
    const { cursor } = await readJson<{ cursor: string }>(answer.response, controller.signal)
    return { ok: true, cursor }
  } finally {
    timer.clear()
    release()
  }
}

/** Goes on where the gateway stands: what it has not numbered it has not stored. */
function resync(
  position: ProducerPosition,
  last: { readonly epoch: number; readonly seq: number } | undefined,
): ProducerPosition {
  if (last === undefined) return { ...position, seq: 0 }
  if (last.epoch > position.epoch)
    throw new SluiceError('producer_fenced', { details: { epoch: last.epoch } })
  return { ...position, seq: last.epoch < position.epoch ? 0 : Math.min(position.seq, last.seq + 1) }
}

/**
 * Rejects the events that the gateway refused and answers those to send again without them; undefined when the
 * problem is not with single events. An array is stored whole or not at all, so no number was taken.
 */
function settleRefused(batch: readonly Pending[], error: SluiceError): readonly Pending[] | undefined {
  if (error.code === 'body_too_large' || error.code === 'event_too_large') {
    if (batch.length > 1) return batch
    batch[0]?.reject(toRefusal({ code: error.code, message: error.message }))
    return []
  }
  const refused = error.details?.['refused']
  if (error.code !== 'events_refused' || !Array.isArray(refused)) return undefined
  const byLine = new Map<number, JsonObject>()
  for (const place of refused) {
    const line = isJsonObject(place) ? place['line'] : undefined
    if (typeof line === 'number' && line >= 1 && line <= batch.length) byLine.set(line, place as JsonObject) // checked above
  }
  if (byLine.size === 0) return undefined
  for (const [line, place] of byLine) batch[line - 1]?.reject(toRefusal(place))
  return batch.filter((_, index) => !byLine.has(index + 1))
}

function toRefusal({ code, path, message }: JsonObject): SluiceError {
  return new SluiceError('events_refused', {
    message: typeof message === 'string' ? message : 'The gateway refused this event.',
    details: { rule: String(code), path: typeof path === 'string' ? path : '' },
  })
}
