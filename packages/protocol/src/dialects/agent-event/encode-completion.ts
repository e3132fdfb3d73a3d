import { toCarried } from '../../carry.ts'
import type { Entry } from '../../entry.ts'
import type { SessionEnd, SluiceEvent } from '../../events.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { boundData, exceedsUtf8, fitsData, maxMessageBytes, maxTextBytes, truncateUtf8 } from './bounds.ts'
import { isCancelled, isErrorCode, toError } from './completion-error.ts'
import { answerOutput } from './decode-text.ts'
import { toSessionFacet } from './facets.ts'
import { dialectId, type Kept, keptOf } from './kept.ts'
import type { Surroundings } from './out-value.ts'
import { payloads } from './payloads.ts'
import { validateFrame } from './read-frame.ts'
import { toOutputName } from './wire-names.ts'

/** An answer that has not ended, with its text so far. */
export interface OpenAnswer {
  readonly output: string
  readonly text: string
}

/** The events that one completion stands for, with the answer that its final text repeats. */
export interface CompletionEvents {
  readonly end: SessionEnd
  readonly final: OpenAnswer
  /** The index after them. */
  readonly next: number
}

/**
 * Finds, at `start`, the end of the answer followed by the end of the session. In an entry of this dialect
 * the whole answer may come with them: the completion was then the frame that brought it.
 */
export function findCompletion(
  answers: readonly OpenAnswer[],
  { source, events }: Entry,
  start: number,
): CompletionEvents | undefined {
  const isOwn = source.dialect === dialectId
  const last = events[events.length - 1]
  if (last?.kind !== 'session-end' || !isOkForm(last, isOwn)) return undefined
  let index = start
  let text = isOwn ? answers.find(({ output }) => output === answerOutput)?.text : undefined
  if (isOwn && isOfAnswer(events[index], 'text-reset')) {
    index++
    text = ''
  }
  const delta = events[index]
  if (isOwn && delta?.kind === 'text-delta' && isOfAnswer(delta, 'text-delta') && delta.position === 0) {
    if (exceedsUtf8(delta.text, maxTextBytes)) return undefined
    index++
    text = delta.text
  }
  const end = events[index]
  if (end?.kind !== 'text-end' || end.interrupted === true || end.meta?.implied === true) return undefined
  const { output } = end
  const known =
    isOwn && output === answerOutput ? undefined : answers.find((answer) => answer.output === output)
  if (known === undefined && output !== answerOutput) return undefined
  for (index++; index < events.length - 1; index++) if (!isSilent(events[index])) return undefined
  return { end: last, final: known ?? { output, text: text ?? '' }, next: events.length }
}

/** True for an event that the session's order implies, and that a reader of this dialect implies again. */
export function isSilent(event: SluiceEvent | undefined): boolean {
  if (event?.meta?.implied !== true) return false
  if (event.kind === 'text-delta') return event.text === ''
  return event.kind !== 'tool-call' && event.kind !== 'session-end'
}

function isOfAnswer(event: SluiceEvent | undefined, kind: 'text-reset' | 'text-delta' | 'text-end'): boolean {
  return event?.kind === kind && event.output === answerOutput && event.meta?.implied !== true
}

function isOkForm(end: SessionEnd, isOwn: boolean): boolean {
  const { completion } = isOwn ? keptOf(end) : {}
  return completion === undefined ? end.outcome === 'completed' : !('error' in completion)
}

/** The last line of a run. `final` is the answer that its text repeats. */
export function toCompletion(
  { view, isOwn }: Pick<Surroundings, 'view' | 'isOwn'>,
  end: SessionEnd,
  final?: OpenAnswer,
): JsonObject {
  const text = final === undefined ? {} : { final_text: truncateUtf8(final.text, maxTextBytes) }
  const repeated = isOwn ? repeatCompletion(keptOf(end), text) : undefined
  if (repeated !== undefined) return repeated
  if (end.outcome === 'completed') {
    const isPlain = end.error === undefined && !isDetailed(end)
    const data = {
      ...(toSessionFacet(view.handle) ?? {}),
      ...(final === undefined || final.output === answerOutput
        ? {}
        : { final_output: toOutputName(final.output) }),
      ...(isPlain ? {} : carryEnd(end)),
    }
    const isBare = Object.keys(data).length === 0
    return {
      completion: {
        ok: { status: { code: 0, signal: null }, ...text, ...(isBare ? {} : { data: boundData(data) }) },
      },
    }
  }
  const { code, message } = toError(end)
  const data = isSaid(end, message) ? {} : { data: carryEnd(end) }
  return { completion: { error: { ...omitUndefined({ code }), message, ...data } } }
}

/** A completion as it came in, within the bounds; undefined if that is not strictly valid. */
function repeatCompletion(kept: Kept, text: JsonObject): JsonObject | undefined {
  const { completion, fields } = kept
  if (completion === undefined) return undefined
  const { ok, error } = completion
  const side = isJsonObject(error) ? { error: boundMembers(error) } : { ok: { ...boundMembers(ok), ...text } }
  const repeated = { completion: { ...completion, ...side }, ...fields }
  return validateFrame(repeated).length === 0 ? repeated : undefined
}

function boundMembers(member: JsonValue | undefined): JsonObject {
  if (!isJsonObject(member)) return {}
  const { message, data } = member
  return {
    ...member,
    ...(typeof message === 'string' ? { message: truncateUtf8(message, maxMessageBytes) } : {}),
    ...omitUndefined({ data: data === undefined ? undefined : boundData(data) }),
  }
}

function isDetailed({ by, claimedBy, durationMs }: SessionEnd): boolean {
  return by !== undefined || claimedBy !== undefined || durationMs !== undefined
}

/** Whether code and message alone fully describe the end. */
function isSaid(end: SessionEnd, message: string): boolean {
  const { outcome, error } = end
  if (isDetailed(end) || outcome === 'rejected') return false
  if (outcome === 'cancelled') return error === undefined
  if (error === undefined || error.message !== message || isCancelled(error.code, message)) return false
  const { code, category, recoverable, hint } = error
  return (
    (code === undefined || isErrorCode(code)) &&
    category === undefined &&
    recoverable === undefined &&
    hint === undefined
  )
}

/** The end itself, with its texts cut if it is too large: an outcome is never lost. */
function carryEnd(end: SessionEnd): JsonObject {
  const whole = { sluice: toCarried(end, payloads) }
  if (fitsData(whole)) return whole
  const { meta: _meta, ...rest } = end
  const cut: Record<string, JsonValue> = {}
  for (const [key, value] of Object.entries(rest.error ?? {}))
    cut[key] = typeof value === 'string' ? truncateUtf8(value, maxMessageBytes) : value
  const names = omitUndefined({ by: cutName(end.by), claimedBy: cutName(end.claimedBy) })
  return { sluice: { ...rest, ...names, error: cut } }
}

function cutName(name: string | undefined): string | undefined {
  return name === undefined ? undefined : truncateUtf8(name, maxMessageBytes)
}
