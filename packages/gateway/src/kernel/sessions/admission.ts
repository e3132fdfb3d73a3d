import { setImmediate } from 'node:timers/promises'
import {
  admit,
  breach,
  type Dialect,
  type Entry,
  type Finding,
  type FrameIdentity,
  type Intake,
  omitUndefined,
  parseFrame,
  type Receipt,
  type Rule,
} from '@sluice/protocol'
import { toSessionId } from '@sluice/protocol/dialects'
import type { EventIds } from './event-ids.ts'
import { reservedNote } from './published-events.ts'

/** The rules that the gateway adds to those of the dialects. */
export const gatewayRules = {
  sessionMismatch: {
    code: 'session_mismatch',
    source: 'Sluice gateway',
    verdict: 'refused',
    sentence: 'The event and the address name different sessions.',
  },
  agentMismatch: {
    code: 'agent_mismatch',
    source: 'Sluice gateway',
    verdict: 'refused',
    sentence: 'The credential is bound to another agent than the event names.',
  },
  tooLarge: {
    code: 'event_too_large',
    source: 'Sluice limits',
    verdict: 'refused',
    sentence: 'The event is larger than the limit.',
  },
  tooManyQuestions: {
    code: 'too_many_questions',
    source: 'Sluice limits',
    verdict: 'refused',
    sentence: 'Too many questions are open, in total or from this subject.',
  },
  reservedNote,
} as const satisfies Record<string, Rule>

/** One event as received: its JSON text, or the finding that made it unreadable. */
export type Incoming =
  | { readonly ok: true; readonly text: string; readonly line: number }
  | { readonly ok: false; readonly finding: Finding; readonly line: number }

/** A finding with the line that it is about. */
export interface LineFinding extends Finding {
  readonly line: number
}

/** The publisher of a batch, and its dialect. */
export interface Publication {
  readonly dialect: Dialect
  readonly producer?: string
  readonly subject?: string
  readonly trace?: string
  /** The agent that the credential is bound to. */
  readonly agent?: string
}

/** The result of admitting a batch, before anything is stored. */
export interface AdmittedBatch {
  readonly intake: Intake
  readonly entries: readonly Entry[]
  readonly duplicates: number
  readonly refused: readonly LineFinding[]
  /** On the admitted events. */
  readonly findings: readonly LineFinding[]
  /** The event ids to note once the batch is on its way to the log. */
  readonly ids: readonly (readonly [id: string, text: string])[]
}

export interface BatchTerms {
  readonly publication: Publication
  /** The ids of the session's events. */
  readonly ids: EventIds
  readonly at: number
  /** How many questions the publisher may open; any number without it. */
  readonly room?: number
}

/** Frames that are admitted at once; between such slices of a longer batch others get their turn. */
const sliceFrames = 256

/** Admits a batch of frames to a session, in order. Changes nothing: the caller adopts the result. */
export function admitBatch(intake: Intake, batch: readonly Incoming[], terms: BatchTerms): AdmittedBatch {
  const steps = admitSlices(intake, batch, terms)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** The same for a batch that would keep the event loop too long; undefined for a shorter one. */
export function admitLongBatch(
  intake: Intake,
  batch: readonly Incoming[],
  terms: BatchTerms,
): Promise<AdmittedBatch> | undefined {
  if (batch.length <= sliceFrames) return undefined
  const steps = admitSlices(intake, batch, terms)
  const run = async (): Promise<AdmittedBatch> => {
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
      await setImmediate()
    }
  }
  return run()
}

function* admitSlices(
  intake: Intake,
  batch: readonly Incoming[],
  { publication, ids, at, room = Number.POSITIVE_INFINITY }: BatchTerms,
): Generator<void, AdmittedBatch, void> {
  const { dialect } = publication
  const entries: Entry[] = []
  const refused: LineFinding[] = []
  const findings: LineFinding[] = []
  const noted: NotedHere = new Map()
  const newIds: [string, string][] = []
  let current = intake
  let duplicates = 0
  let questions = 0
  const receipt: Receipt = omitUndefined({
    dialect,
    at,
    producer: publication.producer,
    subject: publication.subject,
    trace: publication.trace,
  })
  for (const [index, incoming] of batch.entries()) {
    if (index > 0 && index % sliceFrames === 0) yield
    const { line } = incoming
    const parsed = incoming.ok ? parseFrame(incoming.text) : incoming
    if (!parsed.ok) {
      refused.push({ line, ...parsed.finding })
      continue
    }
    const { frame } = parsed
    const identity = dialect.identify(frame.value)
    const stray = findStray(current, identity)
    if (stray !== undefined) {
      refused.push({ line, ...stray })
      continue
    }
    const verdict = identity.id === undefined ? 'new' : lookUp({ ids, noted }, identity.id, frame.text)
    if (verdict === 'same') {
      duplicates += 1
      continue
    }
    const admission = admit(current, frame, verdict === 'other' ? { ...receipt, hasTakenId: true } : receipt)
    if (!admission.ok) {
      refused.push({ line, ...admission.finding })
      continue
    }
    if (publication.agent !== undefined && namesOther(admission.entry, publication.agent)) {
      refused.push({ line, ...breach(gatewayRules.agentMismatch, '') })
      continue
    }
    const asked = countQuestions([admission.entry])
    if (asked > 0 && questions + asked > room) {
      refused.push({ line, ...breach(gatewayRules.tooManyQuestions, '') })
      continue
    }
    questions += asked
    current = admission.intake
    for (const finding of admission.findings) findings.push({ line, ...finding })
    entries.push(admission.entry)
    if (identity.id === undefined) continue
    newIds.push([identity.id, frame.text])
    if (batch.length > 1) noteHere(noted, identity.id, frame.text)
  }
  return { intake: current, entries, duplicates, refused, findings, ids: newIds }
}

export function countQuestions(entries: readonly Entry[]): number {
  let count = 0
  for (const { events } of entries) for (const { kind } of events) if (kind === 'question-open') count += 1
  return count
}

/** The texts under each id of this batch; a list only if one id has several. */
type NotedHere = Map<string, string | string[]>

function noteHere(noted: NotedHere, id: string, text: string): void {
  const known = noted.get(id)
  noted.set(id, known === undefined ? text : [known, text].flat())
}

function lookUp(
  { ids, noted }: { readonly ids: EventIds; readonly noted: NotedHere },
  id: string,
  text: string,
): 'new' | 'same' | 'other' {
  const here = noted.get(id)
  if (here === text || (Array.isArray(here) && here.includes(text))) return 'same'
  const verdict = ids.look(id, text)
  return verdict === 'new' && here !== undefined ? 'other' : verdict
}

/** Whether an entry names another agent. Every dialect that names its agent puts it into the events. */
function namesOther({ events }: Entry, agent: string): boolean {
  return events.some(({ meta }) => meta?.agent?.id !== undefined && meta.agent.id !== agent)
}

/** The finding on a frame that names another session than the one it was sent to. */
function findStray(intake: Intake, identity: FrameIdentity): Finding | undefined {
  const { session } = identity
  if (session === undefined) return undefined
  const { id, foreign } = intake.session
  const isOwn =
    session === id ||
    session === foreign ||
    toSessionId(identity.agent ?? '', session) === id ||
    toSessionId('', session) === id
  return isOwn ? undefined : breach(gatewayRules.sessionMismatch, '')
}
