import { createSessionState, type Entry, type SluiceEvent, startCursor } from '@sluice/protocol'
import { dialectById } from '@sluice/protocol/dialects'
import { enterPaced } from '../features/aaep/pacing/enter-paced.ts'
import { createPacer, type Pacer, type PacerOptions, type PaceStep } from '../features/aaep/pacing/pacer.ts'
import { createTextCutter } from '../features/aaep/pacing/text-cutter.ts'
import { defaultTerms, type Terms } from '../features/aaep/terms.ts'
import { dialectView } from '../kernel/fan-out/view-spec.ts'
import { makeEntries } from './sample-lines.ts'

const id = 'sess_paced'

export function pacerOptions(terms: Partial<Terms> = {}): PacerOptions {
  return {
    terms: { ...defaultTerms, ...terms },
    spec: dialectView(dialectById('aaep'), undefined),
    cutter: createTextCutter(),
    mintsIds: true,
    tailor: (frame) => frame,
  }
}

/** A pacer at the start of a session. */
export async function openTestPacer(options: PacerOptions): Promise<Pacer> {
  const state = createSessionState({ id })
  const source = { lastSeq: -1, stateAt: async () => state, entryAt: async () => undefined }
  const entered = await enterPaced(options.spec, source, startCursor)
  if (entered === undefined) throw new Error('no way in')
  return createPacer(entered, options)
}

/** Entries of a session, one for each event, all at the same time unless it is said. */
export function entriesAt(events: readonly SluiceEvent[], at: (index: number) => number): readonly Entry[] {
  return makeEntries(
    id,
    events.map((event) => [event]),
  ).map((entry, index) => ({ ...entry, at: at(index) }))
}

/** Takes everything that may leave at `now`. */
export function drain(pacer: Pacer, now: number, isReady = true): { values: Value[]; step: PaceStep } {
  const values: Value[] = []
  for (;;) {
    const step = pacer.next(now, isReady, -1)
    if (step.type !== 'emit') return { values, step }
    values.push(JSON.parse(step.frame.data) as Value) // what AAEP encodes is an object
  }
}

export interface Value {
  readonly type: string
  readonly chunk?: string
  readonly coalesce_hint?: string
  readonly to_state?: string
  readonly position?: number
}
