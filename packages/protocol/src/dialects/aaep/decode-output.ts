import type { BoundaryHint, Meta, SluiceEvent, TextDelta } from '../../events.ts'
import { breach } from '../../finding.ts'
import type { JsonValue } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { tableGet } from '../../table.ts'
import { window } from '../../window.ts'
import { isLanguage, mainOutput, toContentType, toOutputId } from './names.ts'
import { isText, keepField, type Reading, sharedMeta, takeCarried } from './reading.ts'
import { aaepRules } from './rules.ts'
import type { AaepSequence, RestoredOutput } from './sequence.ts'
import type { WireEvent } from './wire/events.ts'

export interface ReadOutput {
  readonly events: readonly SluiceEvent[]
  readonly restored: AaepSequence['restored']
  /** False if the frame cannot go out unchanged, because its take differs here. */
  readonly isExact: boolean
}

/** AAEP §4.3.3. The last chunk becomes a delta and an end; an empty last chunk becomes only an end. */
export function readOutput(
  reading: Reading,
  wire: WireEvent<'agent.output.streaming'>,
  state: AaepSequence,
): ReadOutput {
  const { chunk, complete, position, output_id } = wire
  const { session, meta } = reading
  const foreign = output_id === undefined ? undefined : readForeign(reading, output_id, state)
  const output = foreign?.output ?? output_id ?? mainOutput
  const known = tableGet(session.outputs, output)
  const isFresh = foreign !== undefined && foreign.take > 0 && !state.restored.includes(foreign)
  if (!isFresh && known !== undefined && known.take >= 0 && !known.open)
    reading.findings.push(breach(aaepRules.chunkAfterComplete, ''))
  else {
    const expected = isFresh || known === undefined || known.take < 0 ? 0 : known.length
    const isSplitPair = known?.held !== undefined && position === expected + 1
    if (position !== expected && !isSplitPair)
      reading.findings.push(breach(aaepRules.wrongPosition, '/position', `expected ${expected}`))
  }
  const events: SluiceEvent[] = []
  const metaOf = (): Meta => (events.length > 0 ? sharedMeta(meta) : meta)
  const take = Math.max(0, isFresh ? foreign.take : (known?.take ?? 0))
  if (isFresh) events.push({ kind: 'text-reset', output, take, channel: 'answer', meta })
  if (chunk !== '' || (!complete && !isFresh))
    events.push(readDelta(reading, wire, { output, take, meta: metaOf() }))
  else keepStyle(reading, wire)
  if (complete) {
    const interrupted = takeCarried(reading, 'interrupted', isTrue)
    events.push(omitUndefined({ kind: 'text-end', output, take, interrupted, meta: metaOf() }))
  }
  const isSameTake = foreign === undefined || foreign.take === (isFresh ? (known?.take ?? -1) + 1 : take)
  return {
    events,
    restored: nextRestored(state.restored, foreign, complete),
    isExact: isSameTake,
  }
}

function readDelta(
  reading: Reading,
  wire: WireEvent<'agent.output.streaming'>,
  place: Pick<TextDelta, 'output' | 'take'> & { readonly meta: Meta },
): TextDelta {
  const { output, take, meta } = place
  const hint = readHint(reading, wire.coalesce_hint)
  const contentType = takeCarried(reading, 'contentType', isOtherType(wire.content_type)) ?? wire.content_type
  const language = takeCarried(reading, 'language', isOtherLanguage(wire.language)) ?? wire.language
  const delta: { -readonly [K in keyof TextDelta]: TextDelta[K] } = {
    kind: 'text-delta',
    output,
    take,
    text: wire.chunk,
    position: wire.position,
    channel: 'answer',
    meta,
  }
  if (hint !== undefined) delta.hint = hint
  if (contentType !== undefined) delta.contentType = contentType
  if (language !== undefined) delta.language = language
  return delta
}

const hints: readonly string[] = ['none', 'word', 'sentence', 'paragraph', 'completion']

function readHint(reading: Reading, hint: string | undefined): BoundaryHint | undefined {
  if (hint === undefined) return undefined
  if (hints.includes(hint)) return hint as BoundaryHint // one of the list
  keepField(reading, 'coalesce_hint', hint)
  return undefined
}

/** Keeps what a chunk without text says about its text. */
function keepStyle(reading: Reading, wire: WireEvent<'agent.output.streaming'>): void {
  const { coalesce_hint, content_type, language } = wire
  if (coalesce_hint !== undefined) keepField(reading, 'coalesce_hint', coalesce_hint)
  if (content_type !== undefined) keepField(reading, 'content_type', content_type)
  if (language !== undefined) keepField(reading, 'language', language)
}

const isTrue = (value: JsonValue | undefined): value is true => value === true

function isOtherType(wire: string | undefined): (value: JsonValue | undefined) => value is string {
  return (value): value is string => isText(value) && value !== wire && toContentType(value) === wire
}

function isOtherLanguage(wire: string | undefined): (value: JsonValue | undefined) => value is string {
  return (value): value is string => isText(value) && wire === undefined && !isLanguage(value)
}

/**
 * The output that a minted id stands for, according to the extension; accepted only if Sluice would mint that
 * id.
 */
function readForeign(reading: Reading, wire: string, state: AaepSequence): RestoredOutput | undefined {
  const known = state.restored.find((open) => open.wire === wire)
  const { output = known?.output, take = 0 } = reading.carried ?? {}
  // Accepted or not, Sluice makes this claim itself, so it is not repeated.
  takeCarried(reading, 'output', isAny)
  takeCarried(reading, 'take', isAny)
  if (!isText(output) || typeof take !== 'number' || !Number.isSafeInteger(take) || take < 0) return known
  if (known?.output === output && known.take === take) return known
  return toOutputId(output, take) === wire ? { wire, output, take } : known
}

const isAny = (value: JsonValue | undefined): value is JsonValue => value !== undefined

function nextRestored(
  restored: AaepSequence['restored'],
  foreign: RestoredOutput | undefined,
  isComplete: boolean,
): AaepSequence['restored'] {
  if (foreign === undefined) return restored
  const isKnown = restored.includes(foreign)
  if (isComplete) return isKnown ? restored.filter((open) => open !== foreign) : restored
  return isKnown ? restored : [...restored, foreign].slice(-window.openOutputs)
}
