import {
  type Cursor,
  createSessionState,
  type Entry,
  foldEntry,
  type JsonObject,
  startCursor,
} from '@sluice/protocol'
import { dialectById } from '@sluice/protocol/dialects'
import { addEntry } from '../../packages/gateway/src/features/aaep/pacing/add-entry.ts'
import {
  type Bucket,
  createBucket,
  readyAt,
  take,
} from '../../packages/gateway/src/features/aaep/pacing/bucket.ts'
import { enterPaced } from '../../packages/gateway/src/features/aaep/pacing/enter-paced.ts'
import type { PacedFrame } from '../../packages/gateway/src/features/aaep/pacing/paced-frame.ts'
import { startPacing } from '../../packages/gateway/src/features/aaep/pacing/pacer.ts'
import { stepPacer } from '../../packages/gateway/src/features/aaep/pacing/step-pacer.ts'
import { createTextCutter } from '../../packages/gateway/src/features/aaep/pacing/text-cutter.ts'
import type { Terms } from '../../packages/gateway/src/features/aaep/terms.ts'
import type { JoinSource } from '../../packages/gateway/src/kernel/fan-out/find-place.ts'
import type { ViewSpec } from '../../packages/gateway/src/kernel/fan-out/position.ts'
import { dialectView } from '../../packages/gateway/src/kernel/fan-out/view-spec.ts'

/** An event as sent, and when. */
export interface Emitted extends PacedFrame {
  readonly at: number
  readonly value: JsonObject
}

export const defaultTerms: Terms = {
  maxEventsPerSecond: undefined,
  verbosity: 'normal',
  languages: ['en'],
  canConfirm: true,
  canClarify: true,
  boundaries: ['sentence', 'completion'],
  filters: { include: ['*'], exclude: [] },
  load: 'medium',
  paceWpm: undefined,
}

export const aaep = dialectById('aaep')
export const pacedSpec: ViewSpec = dialectView(aaep, undefined)

function sourceOf(entries: readonly Entry[]): JoinSource {
  return {
    lastSeq: entries.length - 1,
    entryAt: async (seq) => entries[seq],
    stateAt: async (seq) =>
      entries
        .slice(0, seq + 1)
        .reduce((state, entry) => foldEntry(state, entry), createSessionState({ id: 'sess_test1' })),
  }
}

/** Plays a session to one subscription: every entry arrives at its time, or at `now` if that is later. */
export async function simulate(
  entries: readonly Entry[],
  terms: Terms,
  {
    after = startCursor,
    now = Number.NEGATIVE_INFINITY,
  }: { readonly after?: Cursor | undefined; readonly now?: number | undefined } = {},
): Promise<readonly Emitted[]> {
  const entered = await enterPaced(pacedSpec, sourceOf(entries), after)
  if (entered === undefined) throw new Error('no way in')
  let pacer = startPacing(entered, {
    terms,
    spec: pacedSpec,
    cutter: createTextCutter(),
    mintsIds: false,
    tailor: (frame) => frame,
  })
  const emitted: Emitted[] = []
  const waiting = [...entries.slice(entered.cursor.seq + 1)]
  const { rest } = entered
  let at = Math.max(now, waiting[0]?.at ?? rest?.entry.at ?? 0)
  let bucket: Bucket = createBucket(terms.maxEventsPerSecond, at)
  if (rest !== undefined) pacer = addEntry(pacer, rest.entry, rest.part)
  for (;;) {
    while (waiting[0] !== undefined && waiting[0].at <= at) {
      pacer = addEntry(pacer, waiting[0])
      waiting.shift()
    }
    const { state, step } = stepPacer(pacer, { now: at, isReady: readyAt(bucket, at) <= at })
    pacer = state
    if (step.type === 'emit') {
      if (!step.frame.isFree) bucket = take(bucket, at)
      emitted.push({ ...step.frame, at, value: JSON.parse(step.frame.data) as JsonObject })
      continue
    }
    const until = step.type === 'full' ? readyAt(bucket, at) : step.until
    const next = Math.min(until, waiting[0]?.at ?? Number.POSITIVE_INFINITY)
    if (next === Number.POSITIVE_INFINITY) return emitted
    at = Math.max(next, at)
  }
}

/** Entries at times with these gaps, which repeat. */
export function timed(entries: readonly Entry[], gaps: readonly number[]): readonly Entry[] {
  let at = 1_800_000_000_000
  return entries.map((entry, index) => {
    at += gaps[index % gaps.length] ?? 0
    return { ...entry, at }
  })
}

/** The text of each output, joined from the chunks of AAEP. */
export function textsOf(values: readonly JsonObject[]): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const { type, output_id, chunk } of values)
    if (type === 'aaep:agent.output.streaming')
      texts[String(output_id)] = (texts[String(output_id)] ?? '') + String(chunk)
  return texts
}
