import type { SessionHead } from '@sluice/log'
import {
  type AgentIdentity,
  type JsonObject,
  type JsonValue,
  type Outcome,
  type SessionState,
  tableValues,
} from '@sluice/protocol'

/** What the log keeps of a session beside its entries: what the list shows, without reading any entry. */
export interface SessionInfo {
  readonly foreign?: string
  readonly context?: string
  readonly owner?: string
  readonly labels: Readonly<Record<string, string>>
  readonly attributes: JsonObject
  /** The hash of the idempotency key that created it. */
  readonly key?: string
  readonly status: string
  readonly outcome?: Outcome
  readonly questions: number
  readonly agent?: AgentIdentity
  readonly dialect?: string
  readonly title?: string
}

/** A session as the HTTP interface shows it (docs/http-api.md, Sessions). */
export interface SessionResource extends Omit<SessionInfo, 'key'> {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly seq: number
  readonly state: 'open' | 'waiting' | 'ended'
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

/** The info of a session that has come to `state`; the same object when nothing that it shows has changed. */
export function updateInfo(info: SessionInfo, state: SessionState, dialect: string | undefined): SessionInfo {
  const questions = countOpenQuestions(state)
  const outcome = state.end?.outcome
  const title = info.title ?? state.request?.slice(0, maxTitleCharacters).toWellFormed()
  const first = info.dialect ?? dialect
  const isSame =
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
    ...(outcome === undefined ? {} : { outcome }),
    ...(title === undefined ? {} : { title }),
    ...(first === undefined ? {} : { dialect: first }),
    ...(state.agent === undefined ? {} : { agent: state.agent }),
  }
}

export function toResource(head: SessionHead): SessionResource {
  const { key: _key, ...info } = toInfo(head.info)
  return {
    id: head.session,
    ...info,
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

function countOpenQuestions(state: SessionState): number {
  if (state.questions.size === 0) return 0
  return tableValues(state.questions).filter((question) => question.closed === undefined).length
}
