import type { SessionHead } from '@sluice/log'
import {
  type AgentIdentity,
  type Entry,
  type JsonObject,
  type JsonValue,
  type Outcome,
  omitUndefined,
  type SessionResource,
  type SessionState,
} from '@sluice/protocol'
import type { Caller } from '../../access/caller.ts'

/** What the log stores of a session besides its entries, so that lists can be shown without reading any. */
export interface SessionInfo {
  readonly foreign?: string
  readonly context?: string
  readonly owner?: string
  readonly labels: Readonly<Record<string, string>>
  readonly attributes: JsonObject
  /** The only writer: a run, an upstream or a subject. Without it, every caller that may publish writes. */
  readonly writer?: string
  /**
   * The agent of the session according to the gateway: the agent of its run, or the one that the credential
   * of its creator is bound to. Grants use this one; `agent` is what the events claim.
   */
  readonly boundAgent?: string
  /** The hash of the idempotency key that created it. */
  readonly key?: string
  readonly status: string
  readonly outcome?: Outcome
  readonly questions: number
  /** How many findings its entries have; absent before the first. */
  readonly findings?: number
  readonly agent?: AgentIdentity
  readonly dialect?: string
  readonly title?: string
}

/** The writer of the sessions in which an agent runs. */
export function runWriter(agent: string): string {
  return `run:${agent}`
}

/** The writer of a session that only its creator may write. */
export function subjectWriter(subject: string): string {
  return `subject:${subject}`
}

/** The info that a session takes from the caller that begins it. */
export function createdBy({ subject, agent }: Pick<Caller, 'subject' | 'agent'>): Partial<SessionInfo> {
  return omitUndefined({ owner: subject, boundAgent: agent })
}

const maxTitleCharacters = 200

export function createInfo(given: Partial<SessionInfo>): SessionInfo {
  return {
    status: 'idle',
    questions: 0,
    ...given,
    labels: given.labels ?? {},
    attributes: given.attributes ?? {},
  }
}

/** Entries that were added to a session. */
export interface InfoUpdate {
  readonly entries: readonly Entry[]
  /** The state of the session after them. */
  readonly state: SessionState
  /** Absent if the gateway made the entries. */
  readonly dialect?: string
}

/** The info of a session after an update; the same object if nothing in it changed. */
export function updateInfo(info: SessionInfo, { entries, state, dialect }: InfoUpdate): SessionInfo {
  const questions = state.open.questions.length
  const found = countFindings(entries)
  const outcome = state.end?.outcome
  const title = info.title ?? state.request?.slice(0, maxTitleCharacters).toWellFormed()
  const first = info.dialect ?? dialect
  const isSame =
    found === 0 &&
    info.status === state.status &&
    info.questions === questions &&
    info.outcome === outcome &&
    info.title === title &&
    info.dialect === first &&
    info.agent === state.agent
  if (isSame) return info
  return {
    ...info,
    status: state.status,
    questions,
    ...(found === 0 ? {} : { findings: (info.findings ?? 0) + found }),
    ...omitUndefined({ outcome, title, dialect: first, agent: state.agent }),
  }
}

export function toResource(head: SessionHead): SessionResource {
  const { key: _key, writer: _writer, boundAgent: _agent, ...info } = toInfo(head.info)
  return {
    id: head.session,
    ...info,
    findings: info.findings ?? 0,
    createdAt: head.createdAt,
    updatedAt: head.updatedAt,
    seq: head.lastSeq,
    state: head.endedAt !== undefined ? 'ended' : info.questions > 0 ? 'waiting' : 'open',
  }
}

export function toInfo(info: JsonObject): SessionInfo {
  return info as unknown as SessionInfo // the log holds what fromInfo() made
}

export function fromInfo(info: SessionInfo): JsonObject {
  return info as unknown as Record<string, JsonValue> // plain JSON by its type
}

function countFindings(entries: readonly Entry[]): number {
  return entries.reduce((count, { diagnostics }) => count + diagnostics.length, 0)
}
