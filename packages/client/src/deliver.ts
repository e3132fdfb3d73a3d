import { type Finding, isJsonObject, isRetryable, type JsonObject, SluiceError } from '@sluice/protocol'
import { type BatchForm, encodeBatch, mediaTypes, type Pending } from './batch.ts'
import { followSignal } from './follow-signal.ts'
import { type InsistOptions, insist } from './insist.ts'
import { formatProducer, type ProducerPosition, readProducer } from './producer.ts'
import { type Exchange, type Requester, readJson } from './requester.ts'

/** The answer to a batch (docs/http-api.md). A field that is missing counts as 0 or as empty. */
export interface PublishAnswer {
  readonly cursor: string
  readonly accepted?: number
  readonly duplicates?: number
  readonly refused?: readonly JsonObject[]
  readonly findings?: readonly JsonObject[]
  readonly findingsCount?: number
}

export interface DeliverParts extends Omit<InsistOptions, 'maxTries' | 'maxAskedMs'> {
  readonly requester: Requester
  readonly session: string
  readonly dialect: string | undefined
  readonly names: 'ignore' | undefined
  readonly form: BatchForm
  /** How long an answer may take before the request is repeated. */
  readonly timeoutMs: number
  /** Called for every answer to a batch that was stored. */
  onAnswer(answer: PublishAnswer): void
}

/** The outcome of a batch: `rest` must be sent again, from `position` on; all other events are settled. */
export interface Delivered {
  readonly position: ProducerPosition
  readonly rest: readonly Pending[]
}

/** How many times to ask for the gateway's number before a gap counts as irreparable. */
const maxResyncs = 3

/**
 * Sends one batch until the gateway has answered, however often that takes: numbered events are stored once.
 * Settles every event whose fate the answer shows. Throws errors that a repetition cannot repair.
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
      parts.onAnswer(answer.body)
      settleStored(batch, answer.body)
      return { position: { ...position, seq: position.seq + batch.length }, rest: [] }
    }
    const { error } = answer
    if (error.code === 'producer_gap' && resyncs < maxResyncs) {
      const { name } = position
      const last = await insist(() => readProducer(requester, { session, name }, signal), parts)
      position = resync(position, last)
      continue
    }
    const rest = settleRefused(batch, error)
    if (rest === undefined) throw error
    return { position, rest }
  }
}

type Posted = { readonly ok: true; readonly body: PublishAnswer } | Extract<Exchange, { ok: false }>

/** One request; throws failures that may pass. */
async function post(
  batch: readonly Pending[],
  position: ProducerPosition,
  { requester, clock, session, dialect, names, form, signal, timeoutMs }: DeliverParts,
): Promise<Posted> {
  const { controller, release } = followSignal(signal)
  const timer = clock.after(timeoutMs, () => controller.abort(new SluiceError('request_timeout')))
  try {
    const answer = await requester.exchange({
      method: 'POST',
      path: ['sessions', session, 'events'],
      query: { dialect, names },
      headers: { 'content-type': mediaTypes[form], 'sluice-producer': formatProducer(position) },
      body: encodeBatch(batch, form),
      signal: controller.signal,
    })
    if (!answer.ok && isRetryable(answer.error)) throw answer.error
    if (!answer.ok) return answer
    return { ok: true, body: await readJson<PublishAnswer>(answer.response, controller.signal) }
  } finally {
    timer.clear()
    release()
  }
}

/** Continues at the gateway's number: events beyond it were not stored. */
function resync(
  position: ProducerPosition,
  last: { readonly epoch: number; readonly seq: number } | undefined,
): ProducerPosition {
  if (last === undefined) return { ...position, seq: 0 }
  if (last.epoch > position.epoch)
    throw new SluiceError('producer_fenced', { details: { epoch: last.epoch } })
  return { ...position, seq: last.epoch < position.epoch ? 0 : Math.min(position.seq, last.seq + 1) }
}

/** Resolves the events of a stored batch, and rejects those of its lines that were refused. */
function settleStored(batch: readonly Pending[], { cursor, refused, findings }: PublishAnswer): void {
  const refusals = groupByLine(refused)
  const notes = groupByLine(findings)
  for (const [index, pending] of batch.entries()) {
    const [refusal] = refusals.get(index + 1) ?? []
    const found = notes.get(index + 1)?.map(toFinding)
    if (refusal !== undefined) pending.reject(toRefusal(refusal))
    else pending.resolve(found === undefined ? { cursor } : { cursor, findings: found })
  }
}

/**
 * Rejects the events of an array that the gateway refused, and returns the others, which must be sent again;
 * undefined if the problem is not with single events. An array is stored whole or not at all, so no number
 * was taken.
 */
function settleRefused(batch: readonly Pending[], error: SluiceError): readonly Pending[] | undefined {
  if (error.code === 'body_too_large' || error.code === 'event_too_large') {
    if (batch.length > 1) return batch
    batch[0]?.reject(toRefusal({ code: error.code, message: error.message }))
    return []
  }
  if (error.code !== 'events_refused') return undefined
  const refusals = groupByLine(error.details?.['refused'])
  const rest = batch.filter((_, index) => !refusals.has(index + 1))
  if (rest.length === batch.length) return undefined
  for (const [line, [refusal = {}]] of refusals) batch[line - 1]?.reject(toRefusal(refusal))
  return rest
}

/** Listed refusals or findings by their line, which counts from 1. */
function groupByLine(listed: unknown): ReadonlyMap<number, readonly JsonObject[]> {
  const byLine = new Map<number, JsonObject[]>()
  for (const place of Array.isArray(listed) ? listed.filter(isJsonObject) : []) {
    const line = Number(place['line'])
    byLine.set(line, [...(byLine.get(line) ?? []), place])
  }
  return byLine
}

function toFinding({ code, path, message, rule }: JsonObject): Finding {
  return {
    code: String(code),
    path: String(path ?? ''),
    message: String(message ?? ''),
    rule: String(rule ?? ''),
  }
}

/** The error of one event: `details.rule` is the code of the rule that it breaks. */
export function toRefusal({ code, path, message }: JsonObject): SluiceError {
  return new SluiceError('events_refused', {
    message: typeof message === 'string' ? message : 'The gateway refused this event.',
    details: { rule: String(code), path: typeof path === 'string' ? path : '' },
  })
}
