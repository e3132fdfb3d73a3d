import { startCursor } from '../cursor.ts'
import type { Dialect, OutFrame } from '../dialect.ts'
import type { Entry } from '../entry.ts'
import type { SluiceEvent } from '../events.ts'
import type { Finding } from '../finding.ts'
import { closeEntry } from '../fold.ts'
import { type Admission, admit, admitEnd, createIntake, type Intake, parseFrame } from '../intake.ts'
import { createSessionState, type SessionState } from '../session-state.ts'
import { settle } from '../settle.ts'

const testSession = 'sess_test1'
const startAt = Date.UTC(2026, 0, 1)

/**
 * The session that `dialect` reads from `lines`: its entries, its findings and refusals, and its final state.
 */
export interface ReadSession {
  readonly entries: readonly Entry[]
  readonly state: SessionState
  readonly findings: readonly (Finding & { line: number })[]
}

/** Reads the frames of one session. The first frame determines the session's id. */
export function readSession(
  dialect: Dialect,
  lines: readonly string[],
  { isEnded } = { isEnded: true },
): ReadSession {
  let intake: Intake | undefined
  const entries: Entry[] = []
  const findings: (Finding & { line: number })[] = []
  const note = (admission: Admission, line: number): void => {
    intake = admission.intake
    if (admission.ok) entries.push(admission.entry)
    const found = admission.ok ? admission.findings : [admission.finding]
    for (const finding of found) findings.push({ ...finding, line })
  }
  for (const [index, line] of lines.entries()) {
    const parsed = parseFrame(line)
    if (!parsed.ok) {
      findings.push({ ...parsed.finding, line: index + 1 })
      continue
    }
    intake ??= createIntake(newSession(dialect, parsed.frame.value))
    note(admit(intake, parsed.frame, { dialect, at: startAt + index, isRecording: true }), index + 1)
  }
  intake ??= createIntake(createSessionState({ id: testSession }))
  if (isEnded && intake.session.started) {
    const end = admitEnd(intake, { dialect, at: startAt + lines.length })
    if (end !== undefined) note(end, lines.length + 1)
  }
  return { entries, state: intake.session, findings }
}

function newSession(dialect: Dialect, value: Parameters<Dialect['identify']>[0]): SessionState {
  const { session, foreign, context } = dialect.identify(value)
  const isOwn = session !== undefined && /^sess_[A-Za-z0-9]{1,64}$/.test(session)
  const known = foreign ?? (isOwn ? undefined : session)
  return createSessionState({ id: isOwn ? session : testSession, foreign: known, context })
}

/** Entries for the given events: settled, without raw. Ends the session if the events do not. */
export function entriesOf(groups: readonly (readonly SluiceEvent[])[]): ReadSession {
  let state = createSessionState({ id: testSession })
  const entries: Entry[] = []
  const end: readonly SluiceEvent[] = [{ kind: 'session-end', outcome: 'completed', meta: { implied: true } }]
  for (const events of [...groups, end]) {
    if (state.end !== undefined) break
    const settled = settle(state, events)
    const entry: Entry = {
      seq: state.seq + 1,
      at: startAt + state.seq + 1,
      source: { dialect: 'none' },
      direction: 'event',
      clean: false,
      events: settled.events,
      diagnostics: [],
    }
    state = closeEntry(settled.state, entry)
    entries.push(entry)
  }
  return { entries, state, findings: [] }
}

/** All frames of a session from its start. */
export function encodeSession(
  dialect: Dialect,
  session: { readonly id: string } & Partial<Pick<SessionState, 'foreign' | 'context'>>,
  entries: readonly Entry[],
): readonly OutFrame[] {
  const entered = dialect.encode.enter(createSessionState(session), startCursor)
  const frames = [...entered.frames]
  let { state } = entered
  for (const entry of entries) {
    const encoded = dialect.encode.step(state, entry)
    state = encoded.state
    frames.push(...encoded.frames)
  }
  return frames
}

/** The same entries without their wire text. */
export function withoutRaw(entries: readonly Entry[]): readonly Entry[] {
  return entries.map(({ raw: _raw, ...entry }) => entry)
}
