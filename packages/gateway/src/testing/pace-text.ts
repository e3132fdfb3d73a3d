import { createSessionState, type Entry, type SluiceEvent, startCursor } from '@sluice/protocol'
import { dialectById } from '@sluice/protocol/dialects'
import { addEntry } from '../features/aaep/pacing/add-entry.ts'
import { enterPaced } from '../features/aaep/pacing/enter-paced.ts'
import type { PaceInput, PaceStep } from '../features/aaep/pacing/pace-step.ts'
import {
  type PacerOptions,
  type PacerState,
  renegotiatePacing,
  startPacing,
} from '../features/aaep/pacing/pacer.ts'
import { stepPacer } from '../features/aaep/pacing/step-pacer.ts'
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
export async function startTestPacing(options: PacerOptions): Promise<PacerState> {
  const state = createSessionState({ id })
  const source = { lastSeq: -1, stateAt: async () => state, entryAt: async () => undefined }
  const entered = await enterPaced(options.spec, source, startCursor)
  if (entered === undefined) throw new Error('no way in')
  return startPacing(entered, options)
}

/** A pacer that keeps its state from call to call. */
export interface TestPacer {
  readonly state: PacerState
  add(entry: Entry): void
  step(input: PaceInput): PaceStep
  renegotiate(options: PacerOptions): void
}

export async function openTestPacer(options: PacerOptions): Promise<TestPacer> {
  let state = await startTestPacing(options)
  return {
    get state() {
      return state
    },
    add(entry) {
      state = addEntry(state, entry)
    },
    step(input) {
      const stepped = stepPacer(state, input)
      state = stepped.state
      return stepped.step
    },
    renegotiate(changed) {
      state = renegotiatePacing(state, changed)
    },
  }
}

/** Entries of a session, one per event, at the given times. */
export function entriesAt(events: readonly SluiceEvent[], at: (index: number) => number): readonly Entry[] {
  return makeEntries(
    id,
    events.map((event) => [event]),
  ).map((entry, index) => ({ ...entry, at: at(index) }))
}

/** Takes everything that can be sent at `now`. */
export function drain(
  pacer: Pick<TestPacer, 'step'>,
  now: number,
  { isReady = true }: { readonly isReady?: boolean | undefined } = {},
): { values: Value[]; step: PaceStep } {
  const values: Value[] = []
  for (;;) {
    const step = pacer.step({ now, isReady })
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
