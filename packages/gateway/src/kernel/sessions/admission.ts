import {
  admit,
  breach,
  type Dialect,
  type Entry,
  type Finding,
  type FrameIdentity,
  type Intake,
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
  reservedNote,
} as const satisfies Record<string, Rule>

/** One event as it came: its JSON text, or what kept it from being read. */
export type Incoming =
  | { readonly ok: true; readonly text: string; readonly line: number }
  | { readonly ok: false; readonly finding: Finding; readonly line: number }

/** A finding with the line that it is about. */
export interface LineFinding extends Finding {
  readonly line: number
}

/** Who publishes, and in which contract. */
export interface Publication {
  readonly dialect: Dialect
  readonly producer?: string
  readonly subject?: string
  readonly trace?: string
  /** The agent that the credential is bound to. */
  readonly agent?: string
}

/** What became of a batch, before anything of it is stored. */
export interface AdmittedBatch {
  readonly intake: Intake
  readonly entries: readonly Entry[]
  readonly duplicates: number
  readonly refused: readonly LineFinding[]
  /** On what was admitted. */
  readonly findings: readonly LineFinding[]
  /** The event ids to note once the batch is on its way to the log. */
  readonly ids: readonly (readonly [id: string, text: string])[]
}

/** Takes a batch of frames into a session, one after the other. Changes nothing: the caller adopts what comes out. */
export function admitBatch(
  intake: Intake,
  ids: EventIds,
  batch: readonly Incoming[],
  publication: Publication,
  at: number,
): AdmittedBatch {
  const { dialect } = publication
  const entries: Entry[] = []
  const refused: LineFinding[] = []
  const findings: LineFinding[] = []
  const noted: NotedHere = new Map()
  const newIds: [string, string][] = []
  let current = intake
  let duplicates = 0
  const receipt: Receipt = {
    dialect,
    at,
    ...(publication.producer === undefined ? {} : { producer: publication.producer }),
    ...(publication.subject === undefined ? {} : { subject: publication.subject }),
    ...(publication.trace === undefined ? {} : { trace: publication.trace }),
  }
  for (const incoming of batch) {
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
    const verdict = identity.id === undefined ? 'new' : lookUp(ids, noted, identity.id, frame.text)
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
    current = admission.intake
    for (const finding of admission.findings) findings.push({ line, ...finding })
    entries.push(admission.entry)
    if (identity.id === undefined) continue
    newIds.push([identity.id, frame.text])
    if (batch.length > 1) noteHere(noted, identity.id, frame.text)
  }
  return { intake: current, entries, duplicates, refused, findings, ids: newIds }
}

/** The texts under each id of this batch; a list only where one id has several. */
type NotedHere = Map<string, string | string[]>

function noteHere(noted: NotedHere, id: string, text: string): void {
  const known = noted.get(id)
  noted.set(id, known === undefined ? text : [known, text].flat())
}

function lookUp(ids: EventIds, noted: NotedHere, id: string, text: string): 'new' | 'same' | 'other' {
  const here = noted.get(id)
  if (here === text || (Array.isArray(here) && here.includes(text))) return 'same'
  const verdict = ids.look(id, text)
  return verdict === 'new' && here !== undefined ? 'other' : verdict
}

/** Whether an entry speaks for another agent. Every contract that names its agent has it in its events. */
function namesOther({ events }: Entry, agent: string): boolean {
  return events.some(({ meta }) => meta?.agent?.id !== undefined && meta.agent.id !== agent)
}

/** What a frame says of itself that does not fit the session that it was sent to. */
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
