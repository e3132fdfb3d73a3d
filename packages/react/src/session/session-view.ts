import type { SessionResource } from '@sluice/client'
import {
  type CallState,
  type OutputState,
  omitUndefined,
  type QuestionClose,
  type QuestionOpen,
  type QuestionState,
  type SessionState,
  type SluiceError,
  type TextChannel,
  tableValues,
} from '@sluice/protocol'

/** A text that the agent is writing or has written. */
export interface TextView {
  readonly output: string
  /** How often the text was restarted. */
  readonly take: number
  readonly channel: TextChannel
  readonly text: string
  /** More text may follow. */
  readonly isOpen: boolean
  readonly isInterrupted: boolean
  readonly contentType: string | undefined
  readonly language: string | undefined
}

/** A question and its outcome. Times are those of the gateway, in ms since 1970. */
export interface QuestionView {
  readonly token: string
  readonly asked: QuestionOpen
  readonly openedAt: number | undefined
  /** When its default takes effect; undefined if it has no timeout or `openedAt` is unknown. */
  readonly deadline: number | undefined
  /** Absent while it is open. */
  readonly closed: QuestionClose | undefined
}

/** The connection between the page and the gateway. */
export interface SessionConnection {
  readonly status: 'connecting' | 'catching-up' | 'live' | 'offline' | 'waiting' | 'ended'
  /** The number of entries that are known to exist but were not read yet. */
  readonly behind: number
  /** How often a connection was lost and restored. */
  readonly reconnects: number
  /** While `waiting`: the end of the wait, in ms since 1970, and its cause. */
  readonly untilMs: number | undefined
  readonly error: SluiceError | undefined
}

/** A session as a user interface shows it. Parts that did not change keep their identity. */
export interface SessionView {
  readonly id: string
  /** `loading` before the first answer of the gateway; `failed` permanently, with `error`. */
  readonly phase: 'loading' | 'ready' | 'failed'
  readonly error: SluiceError | undefined
  readonly resource: SessionResource | undefined
  /** The complete state of the session. */
  readonly state: SessionState | undefined
  /** What the agent wrote, in order; answers and reasoning. */
  readonly texts: readonly TextView[]
  /** The answers alone, with a blank line between two. */
  readonly text: string
  readonly calls: readonly CallState[]
  /** In the order in which they were asked; the open ones have no `closed`. */
  readonly questions: readonly QuestionView[]
  readonly connection: SessionConnection
}

const initialConnection: SessionConnection = {
  status: 'connecting',
  behind: 0,
  reconnects: 0,
  untilMs: undefined,
  error: undefined,
}

/** The view of a session before its first snapshot. */
export function createSessionView(id: string): SessionView {
  return {
    id,
    phase: 'loading',
    error: undefined,
    resource: undefined,
    state: undefined,
    texts: [],
    text: '',
    calls: [],
    questions: [],
    connection: initialConnection,
  }
}

/** The view of `state`, based on the previous view. `openedAt` returns the time when a question was asked. */
export function showState(
  before: SessionView,
  state: SessionState,
  openedAt: (token: string) => number | undefined,
): SessionView {
  const texts =
    before.state?.outputs === state.outputs
      ? before.texts
      : showTexts(before.texts, tableValues(state.outputs))
  return {
    ...before,
    state,
    texts,
    text: texts === before.texts ? before.text : joinAnswers(texts),
    calls: before.state?.calls === state.calls ? before.calls : tableValues(state.calls),
    questions: showQuestions(before.questions, tableValues(state.questions), openedAt),
    resource: before.resource === undefined ? undefined : updateResource(before.resource, state),
  }
}

function showTexts(before: readonly TextView[], outputs: readonly OutputState[]): readonly TextView[] {
  const written = outputs.filter(({ take }) => take >= 0)
  return written.map((output, index) => {
    const known = before[index]
    const isSame =
      known?.output === output.output &&
      known.take === output.take &&
      known.text.length === output.text.length &&
      known.isOpen === output.open
    return isSame ? known : toTextView(output)
  })
}

function toTextView({ output, take, channel, text, open, interrupted, ...rest }: OutputState): TextView {
  return {
    output,
    take,
    channel,
    text,
    isOpen: open,
    isInterrupted: interrupted === true,
    contentType: rest.contentType,
    language: rest.language,
  }
}

function joinAnswers(texts: readonly TextView[]): string {
  return texts
    .filter(({ channel, text }) => channel === 'answer' && text !== '')
    .map(({ text }) => text)
    .join('\n\n')
}

function showQuestions(
  before: readonly QuestionView[],
  questions: readonly QuestionState[],
  openedAt: (token: string) => number | undefined,
): readonly QuestionView[] {
  const shown = questions.map((question, index) => {
    const { opened, closed } = question
    const known = before[index]
    const at = openedAt(opened.token)
    if (known?.asked === opened && known.closed === closed && known.openedAt === at) return known
    const deadline = at === undefined || opened.timeoutMs === undefined ? undefined : at + opened.timeoutMs
    return { token: opened.token, asked: opened, openedAt: at, deadline, closed }
  })
  const isSame =
    shown.length === before.length && shown.every((question, index) => question === before[index])
  return isSame ? before : shown
}

function updateResource(before: SessionResource, state: SessionState): SessionResource {
  const questions = state.open.questions.length
  const outcome = state.end?.outcome
  return {
    ...before,
    seq: state.seq,
    updatedAt: state.seq > before.seq ? state.at : before.updatedAt,
    status: state.status,
    questions,
    state: outcome !== undefined ? 'ended' : questions > 0 ? 'waiting' : 'open',
    ...omitUndefined({ outcome, agent: state.agent }),
    ...(before.title === undefined && state.request !== undefined
      ? { title: state.request.slice(0, 200) }
      : {}),
  }
}
