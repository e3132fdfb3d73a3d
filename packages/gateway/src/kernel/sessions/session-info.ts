import type { SessionHead } from '@sluice/log'
import {
  type AgentIdentity,
  type Entry,
  type JsonObject,
  type JsonValue,
  type Outcome,
  type SessionResource,
  type SessionState,
  tableValues,
} from '@sluice/protocol'
import type { Caller } from '../../access/caller.ts'

/** What the log keeps of a session beside its entries: what the list shows, without reading any entry. */
export interface SessionInfo {
  readonly foreign?: string
  readonly context?: string
  readonly owner?: string
  readonly labels: Readonly<Record<string, string>>
  readonly attributes: JsonObject
  /** The one who alone writes it: a run, an upstream, or a subject. Without it, callers with the right to publish do. */
  readonly writer?: string
  /**
   * The agent that the gateway knows it to be of: that of its run, or the one that the credential of its creator is
   * bound to. Grants look at this one; `agent` is what its events say.
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

/** The writer of a session that its creator wants for itself. */
export function subjectWriter(subject: string): string {
  return `subject:${subject}`
}

/** What a session is given by the caller who begins it. */
export function createdBy({ subject, agent }: Pick<Caller, 'subject' | 'agent'>): Partial<SessionInfo> {
  return { owner: subject, ...(agent === undefined ? {} : { boundAgent: agent }) }
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

/** What was added to a session. */
export interface InfoUpdate {
  readonly entries: readonly Entry[]
  /** What the session has come to with them. */
  readonly state: SessionState
  /** Absent where the gateway made the entries. */
  readonly dialect?: string
}

/** The info of a session after an update; the same object when nothing that it shows has changed. */
export function updateInfo(info: SessionInfo, { entries, state, dialect }: InfoUpdate): SessionInfo {
  const questions = countOpenQuestions(state)
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
    ...(outcome === undefined ? {} : { outcome }),
    ...(title === undefined ? {} : { title }),
    ...(first === undefined ? {} : { dialect: first }),
    ...(state.agent === undefined ? {} : { agent: state.agent }),
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

function countOpenQuestions(state: SessionState): number {
  if (state.questions.size === 0) return 0
  return tableValues(state.questions).filter((question) => question.closed === undefined).length
}
