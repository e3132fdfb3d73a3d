import {
  admit,
  admitMade,
  type Clock,
  createIntake,
  createSessionState,
  type Dialect,
  parseFrame,
  type SessionEnd,
  type SluiceEvent,
} from '@sluice/protocol'

/** Follows a run by its frames, as far as its driver must understand them. */
export interface FrameWatch {
  /** `frame`: pass it on. `malformed`: not a frame of any dialect. `late`: after the end of the session. */
  take(text: string): 'frame' | 'malformed' | 'late'
  /** Notes that a question has its outcome; false if no question with this token is open. */
  answered(token: string): boolean
  readonly hasQuestion: boolean
  /** How the session ended, once a frame has said so. */
  readonly outcome: SessionEnd['outcome'] | undefined
  /** The agent's own session, if the frames name it. */
  readonly handle: string | undefined
}

export function createFrameWatch(dialect: Dialect, clock: Clock): FrameWatch {
  const questions = new Set<string>()
  let intake = createIntake(createSessionState({ id: 'sess_run' }))

  const note = (event: SluiceEvent): void => {
    if (event.kind === 'question-open') questions.add(event.token)
    else if (event.kind === 'question-close') questions.delete(event.token)
  }

  return {
    take(text) {
      if (intake.session.end !== undefined) return 'late'
      const parsed = parseFrame(text)
      if (!parsed.ok) return 'malformed'
      const admission = admit(intake, parsed.frame, { dialect, at: clock.now() })
      intake = admission.intake
      // A frame that breaks a rule of the dialect is refused where it is stored, with the rule.
      if (admission.ok) for (const event of admission.entry.events) note(event)
      return 'frame'
    },
    answered(token) {
      if (!questions.delete(token)) return false
      const source = { dialect: dialect.id }
      const close: SluiceEvent = { kind: 'question-close', token, how: 'answered' }
      intake = admitMade(intake, [close], { at: clock.now(), direction: 'input', source }).intake
      return true
    },
    get hasQuestion() {
      return questions.size > 0
    },
    get outcome() {
      return intake.session.end?.outcome
    },
    get handle() {
      return intake.session.agent?.session
    },
  }
}
