import { omitUndefined } from '@sluice/protocol'
import { fromCarried } from '../../../packages/protocol/src/carry.ts'
import type { Decoder } from '../../../packages/protocol/src/dialect.ts'
import type { SluiceEvent } from '../../../packages/protocol/src/events.ts'
import { breach, type Finding } from '../../../packages/protocol/src/finding.ts'
import type { JsonValue } from '../../../packages/protocol/src/json.ts'
import { createChecker } from '../../../packages/protocol/src/schemas/check.ts'
import { isWellFormedJson } from '../../../packages/protocol/src/well-formed-json.ts'
import { toyRules } from './sequence.ts'
import { type ToyFrame, toySchema } from './wire.ts'

export const checker = createChecker(toySchema, 'Toy §1–3')

/** The output of a `say` that names none. */
export const mainOutput = 'main'

/** No frame depends on one before it, so there is nothing to remember. */
export const toyDecoder: Decoder<null> = {
  initial: () => null,

  step(state, { value }) {
    if (!checker.isExact(value)) {
      const unknown: SluiceEvent = { kind: 'unknown', type: 'toy', data: value }
      return { state, events: [unknown], findings: checker.findings(value), exact: false }
    }
    const frame = value as ToyFrame // just checked
    const plain = toPlainEvent(frame)
    const { event, findings } = 'say' in frame ? { event: plain, findings: [] } : refine(plain, frame.sluice)
    return { state, events: [event], findings, exact: isWellFormedJson(value) }
  },
}

/** The event that the fields of a frame express on their own. */
function toPlainEvent(frame: ToyFrame): SluiceEvent {
  if ('done' in frame) return { kind: 'session-end', outcome: frame.done }
  if ('note' in frame) return { kind: 'notice', level: 'info', text: frame.note }
  const { say, output = mainOutput, thought, contentType, language } = frame
  return omitUndefined({
    kind: 'text-delta',
    output,
    take: 0, // settle() assigns take and position
    position: 0,
    text: say,
    channel: thought === true ? 'reasoning' : 'answer',
    contentType,
    language,
  })
}

interface Refined {
  readonly event: SluiceEvent
  readonly findings: readonly Finding[]
}

/** The carried event, if it agrees with the rest of the frame. */
function refine(plain: SluiceEvent, sluice: unknown): Refined {
  const carried = fromCarried(sluice as JsonValue | undefined) // it came out of JSON
  if (carried === undefined) return { event: plain, findings: [] }
  if (agrees(carried, plain)) return { event: { ...carried, meta: {} }, findings: [] }
  return { event: plain, findings: [breach(toyRules.carriedContradicts, '/sluice')] }
}

/** Texts and ends have their own frames; the note beside any other event only describes it. */
function agrees(carried: SluiceEvent, plain: SluiceEvent): boolean {
  if (plain.kind === 'session-end') return carried.kind === plain.kind && carried.outcome === plain.outcome
  if (carried.kind === 'notice') return plain.kind === 'notice' && carried.text === plain.text
  return carried.kind !== 'text-delta' && carried.kind !== 'session-end'
}
