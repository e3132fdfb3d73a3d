import { startCursor } from './cursor.ts'
import type { Dialect, FrameIdentity, OutFrame } from './dialect.ts'
import { breach, type Finding, type Rule } from './finding.ts'
import { createIdIndex, type IdIndex } from './id-index.ts'
import {
  type Admission,
  admit,
  admitEnd,
  createIntake,
  type Intake,
  intakeRules,
  parseFrame,
  type Receipt,
} from './intake.ts'
import { toSessionId } from './session-id.ts'
import { createSessionState } from './session-state.ts'
import { createSipHash } from './sip-hash.ts'

export const convertRules = {
  secondSession: {
    code: 'second_session',
    source: 'Sluice convert',
    verdict: 'refused',
    sentence: 'The target has no session ids, and another session is already being written to it.',
  },
} as const satisfies Record<string, Rule>

export interface ConvertOptions {
  readonly from: Dialect
  /** If absent, the input is only checked. */
  readonly to?: Dialect
  /** Names the session of an input without ids; selects one in any other input. */
  readonly session?: string
  /** Where missing times start, in ms since 1970; each entry adds one. */
  readonly at?: number
}

/** The outcome of one frame. */
export interface Converted {
  readonly frames: readonly OutFrame[]
  readonly findings: readonly Finding[]
  /** `repeated`: the same event again, kept once; `unselected`: not in the requested session. */
  readonly verdict: 'kept' | 'refused' | 'repeated' | 'unselected'
}

export interface Converter {
  /** Takes one frame, as JSON on one line. */
  push(text: string): Converted
  /** Ends the sessions that the input left open. */
  end(): readonly Converted[]
}

interface Track {
  intake: Intake
  view: unknown
  readonly ids: IdIndex
}

/** Converts the frames of one recording, session by session. Holds what is open, and a few bytes per id. */
export function createConverter(options: ConvertOptions): Converter {
  const { from, to } = options
  const tracks = new Map<string, Track>()
  const hash = createSipHash()
  const ended = createIdIndex({ hash })
  let only: string | undefined
  let latest: string | undefined

  const open = (id: string, identity: FrameIdentity, named: string | undefined): Track => {
    const foreign = identity.foreign ?? (named === undefined || named === id ? undefined : named)
    const session = createSessionState({ id, foreign, context: identity.context })
    const track = {
      intake: createIntake(session),
      view: to?.encode.enter(session, startCursor).state,
      ids: createIdIndex({ hash }),
    }
    tracks.set(id, track)
    return track
  }

  const receiptFor = (track: Track): Receipt => ({
    dialect: from,
    at: (options.at ?? 0) + track.intake.session.seq + 1,
    isRecording: true,
  })

  const settleTrack = (id: string, track: Track, admission: Admission): Converted => {
    track.intake = admission.intake
    if (!admission.ok) return { frames: [], findings: [admission.finding], verdict: 'refused' }
    const encoded = to?.encode.step(track.view, admission.entry)
    if (encoded !== undefined) track.view = encoded.state
    if (track.intake.session.end !== undefined) {
      tracks.delete(id)
      ended.note(id, '')
    }
    return { frames: encoded?.frames ?? [], findings: admission.findings, verdict: 'kept' }
  }

  return {
    push(text) {
      const parsed = parseFrame(text)
      if (!parsed.ok) return { frames: [], findings: [parsed.finding], verdict: 'refused' }
      const identity = from.identify(parsed.frame.value)
      const named = identity.session ?? (from.supports.sessionIds ? undefined : options.session)
      const id = named === undefined ? (latest ?? defaultSession) : toSessionId(identity.agent ?? '', named)
      const names = [id, named, identity.foreign]
      const isOther = options.session !== undefined && named !== undefined && !names.includes(options.session)
      if (from.supports.sessionIds && isOther) return unselected
      if (to?.supports.sessionIds === false && only !== undefined && only !== id) return refusedSecond
      if (!tracks.has(id) && ended.has(id)) return refusedEnded
      only = id
      latest = id
      const track = tracks.get(id) ?? open(id, identity, named)
      const known = identity.id === undefined ? 'new' : track.ids.note(identity.id, text)
      if (known === 'same') return repeated
      const receipt = { ...receiptFor(track), hasTakenId: known === 'other' }
      return settleTrack(id, track, admit(track.intake, parsed.frame, receipt))
    },

    end() {
      const results: Converted[] = []
      for (const [id, track] of [...tracks]) {
        const admission = track.intake.session.started ? admitEnd(track.intake, receiptFor(track)) : undefined
        if (admission !== undefined) results.push(settleTrack(id, track, admission))
      }
      return results
    },
  }
}

const defaultSession = 'sess_recording'
const unselected: Converted = { frames: [], findings: [], verdict: 'unselected' }
const repeated: Converted = { frames: [], findings: [], verdict: 'repeated' }
const refusedSecond = refusal(convertRules.secondSession)
const refusedEnded = refusal(intakeRules.sessionEnded)

function refusal(rule: Rule): Converted {
  return { frames: [], findings: [breach(rule, '')], verdict: 'refused' }
}
