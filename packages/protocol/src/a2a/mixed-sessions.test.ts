import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { a2a } from '../dialects/a2a/index.ts'
import { a2aV1 } from '../dialects/a2a-v1/index.ts'
import { sluice } from '../dialects/sluice/index.ts'
import type { Entry } from '../entry.ts'
import type { SluiceEvent } from '../events.ts'
import { foldEntry } from '../fold.ts'
import { admit, admitEnd, createIntake, parseFrame } from '../intake.ts'
import { createSessionState, type SessionState } from '../session-state.ts'
import { anyEntries } from '../testing/arbitrary-events.ts'
import { essenceOf } from '../testing/projection.ts'
import { runs } from '../testing/runs.ts'
import { readSession } from '../testing/sessions.ts'

const versions = [a2a, a2aV1] as const
const identity = { id: 'sess_mixed', foreign: 'task-7f3a', context: 'ctx-42' }
const recordings = versions.flatMap((dialect) =>
  ['hello-world', 'interrupted-and-resumed', 'other-producers', 'task-at-work', 'broken-order'].map(
    (name) => ({
      dialect,
      lines: readFileSync(
        new URL(`../dialects/${dialect.id}/fixtures/${name}.ndjson`, import.meta.url),
        'utf8',
      )
        .trim()
        .split('\n'),
    }),
  ),
)

interface Mixed {
  readonly entries: readonly Entry[]
  readonly state: SessionState
}

/**
 * A session in which an A2A agent and others take turns; `order` says after which frames the others speak.
 */
function mix(index: number, groups: readonly (readonly SluiceEvent[])[], order: readonly boolean[]): Mixed {
  const recording = recordings[index % recordings.length]
  let intake = createIntake(createSessionState(identity))
  const entries: Entry[] = []
  const others = groups.filter((events) => events.every(({ kind }) => kind !== 'session-end'))
  const queue = [...others]
  const take = (text: string, dialect: Parameters<typeof admit>[2]['dialect']): void => {
    const parsed = parseFrame(text)
    if (!parsed.ok) return
    const admission = admit(intake, parsed.frame, { dialect, at: 1_700_000_000_000 + entries.length })
    intake = admission.intake
    if (admission.ok) entries.push(admission.entry)
  }
  for (const [at, line] of (recording?.lines ?? []).entries()) {
    if (order[at] === true) take(JSON.stringify({ events: queue.shift() ?? [] }), sluice)
    take(line, recording?.dialect ?? a2a)
  }
  const end = admitEnd(intake, { dialect: a2a, at: 1_700_000_100_000 })
  if (end?.ok === true) entries.push(end.entry)
  return { entries, state: end?.intake.session ?? intake.session }
}

test.each(versions)('$id: a session of several producers comes out valid and joins anywhere', (dialect) => {
  fc.assert(
    fc.property(
      fc.nat(recordings.length - 1),
      anyEntries,
      fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }),
      (index, groups, order) => {
        const { entries, state } = mix(index, groups, order)
        const whole: { data: string; seq: number }[] = []
        let folded = createSessionState(identity)
        let view = dialect.encode.enter(folded, { seq: -1 }).state
        for (const entry of entries) {
          const encoded = dialect.encode.step(view, entry)
          view = encoded.state
          for (const frame of encoded.frames) whole.push({ data: frame.data, seq: entry.seq })
        }
        for (const { data } of whole) expect(dialect.validate(JSON.parse(data))).toEqual([])
        const back = readSession(
          dialect,
          whole.map(({ data }) => data),
          { isEnded: false },
        )
        expect(back.findings).toEqual([])
        expect(essenceOf(back.state)).toEqual(essenceOf(state))
        for (const [at, entry] of entries.entries()) {
          folded = foldEntry(folded, entry)
          const joined = dialect.encode.enter(folded, { seq: entry.seq })
          const frames = joined.frames.map(({ data }) => data)
          const preamble = frames.length
          let next = joined.state
          for (const later of entries.slice(at + 1)) {
            const encoded = dialect.encode.step(next, later)
            next = encoded.state
            frames.push(...encoded.frames.map(({ data }) => data))
          }
          expect(frames.slice(preamble)).toEqual(
            whole.filter(({ seq }) => seq > entry.seq).map(({ data }) => data),
          )
          const fresh = readSession(dialect, frames, { isEnded: false })
          expect(fresh.findings).toEqual([])
          expect(essenceOf(fresh.state)).toEqual(essenceOf(state))
        }
      },
    ),
    { numRuns: runs(60), seed: 1 },
  )
})
