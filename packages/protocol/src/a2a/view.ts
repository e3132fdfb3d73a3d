import type {
  Meta,
  PartAdd,
  QuestionType,
  SluiceEvent,
  TextChannel,
  TextDelta,
  TextReset,
} from '../events.ts'
import { countCodePoints } from '../segment/code-points.ts'
import { hashHex } from '../session-id.ts'
import type { SessionState } from '../session-state.ts'
import { emptyTable, type Table, tableGet, tablePick, tableSet, tableValues } from '../table.ts'
import { addWhole, forgetOldest, wholeText, window } from '../window.ts'
import { streamDelta } from './profile.ts'
import { safeId } from './safe-id.ts'
import { keptIn } from './skeleton.ts'

/** An output as an A2A client sees it. */
export interface OutputView {
  readonly output: string
  readonly artifact: string
  /** The output came as an artifact and keeps its id. */
  readonly isOwn: boolean
  readonly channel: TextChannel
  readonly take: number
  readonly isOpen: boolean
  /** The text of the open take; undefined if it is too long to be repeated at its end. */
  readonly text: string | undefined
  /** Code points of the open take. */
  readonly length: number
  /** Text was sent, in this take or an earlier one. */
  readonly hasText: boolean
  readonly hasParts: boolean
  /** Created with the first appended chunk. */
  readonly pieces: ChunkPieces | undefined
}

/** The JSON of an appended chunk, around its text and around its data in `metadata.sluice`. */
export interface ChunkPieces {
  readonly before: string
  readonly between: string
  readonly after: string
  /** The data that every chunk of the output carries. */
  readonly members: string
}

/** What an encoder remembers of a session, all derived from the session's state. */
export interface A2aView {
  readonly task: string
  readonly context: string
  /** Every entry so far was a clean frame of this dialect and went out unchanged. */
  readonly isCopy: boolean
  readonly isStarted: boolean
  /** All outputs except `live`. */
  readonly outputs: Table<OutputView>
  /** The output whose text came last: updating it does not copy the table. */
  readonly live: OutputView | undefined
  /** The artifact ids in use. */
  readonly artifacts: Table<true>
  readonly answers: number
  readonly thoughts: number
  /** Sluice chose the artifact id of at least one output. */
  readonly hasForeign: boolean
  readonly questions: readonly { readonly token: string; readonly question: QuestionType }[]
  readonly hasState: boolean
}

/** `dialects` are the versions of A2A, the encoder's own first. */
export function createView(session: SessionState, dialects: readonly string[]): A2aView {
  const isCopy = session.uniform === undefined || session.uniform === dialects[0]
  let view: A2aView = {
    task: session.foreign || session.id,
    context: session.context || `ctx_${hashHex(session.id, 16)}`,
    isCopy,
    isStarted: session.started,
    outputs: emptyTable(),
    live: undefined,
    artifacts: emptyTable(),
    answers: 0,
    thoughts: 0,
    hasForeign: false,
    questions: tablePick(session.questions, session.open.questions).map(({ opened }) => ({
      token: opened.token,
      question: opened.question,
    })),
    hasState: session.data !== undefined,
  }
  for (const row of tableValues(session.outputs)) {
    const { output, channel, ordinal, ext } = row
    const isAnswer = channel === 'answer'
    const counted = { ...view, ...(isAnswer ? { answers: ordinal - 1 } : { thoughts: ordinal - 1 }) }
    view = setOutput(openOutput(counted, { output, channel, ext }, dialects), output, {
      take: row.take,
      isOpen: row.open,
      text: row.open ? wholeText(row) : '',
      length: row.open ? row.length : 0,
      hasText: row.length > 0 || row.take > 0,
      hasParts: row.parts.length + row.omittedParts > 0,
    })
  }
  const { answers, thoughts } = session.history
  return { ...view, answers, thoughts }
}

/** The view after an event. */
export function advanceView(view: A2aView, event: SluiceEvent, dialects: readonly string[]): A2aView {
  switch (event.kind) {
    case 'session-start':
      return view.isStarted ? view : { ...view, isStarted: true }
    case 'text-delta': {
      const opened = openOutput(view, openingOf(event, event.channel), dialects)
      const output = outputOf(opened, event.output)
      if (output === undefined) return opened
      const isLive = opened.live?.output === event.output
      return withLive(isLive ? opened : settled(opened), withText(output, event.take, event.text))
    }
    case 'text-reset': {
      const opened = openOutput(view, openingOf(event, event.channel), dialects)
      return setOutput(opened, event.output, {
        take: event.take,
        isOpen: true,
        text: '',
        length: 0,
        hasText: event.take > 0,
      })
    }
    case 'text-end':
      return setOutput(view, event.output, { isOpen: false, text: '', length: 0 })
    case 'part-add':
      return setOutput(openOutput(view, openingOf(event, 'answer'), dialects), event.output, {
        hasParts: true,
      })
    case 'question-open':
      return {
        ...view,
        questions: [...view.questions, { token: event.token, question: event.question }],
      }
    case 'question-close':
      return { ...view, questions: view.questions.filter(({ token }) => token !== event.token) }
    case 'state-data':
      return view.hasState ? view : { ...view, hasState: true }
    case 'session-end':
    case 'state-change':
    case 'progress':
    case 'message':
    case 'tool-call':
    case 'tool-call-delta':
    case 'tool-result':
    case 'sources':
    case 'handoff':
    case 'notice':
    case 'usage':
    case 'unknown':
      return view
  }
}

export function outputOf(view: A2aView, id: string): OutputView | undefined {
  return view.live?.output === id ? view.live : tableGet(view.outputs, id)
}

/**
 * Written out, like the next function: both run for every delta, and a spread takes several times as long.
 */
export function withText(output: OutputView, take: number, text: string): OutputView {
  return {
    output: output.output,
    artifact: output.artifact,
    isOwn: output.isOwn,
    channel: output.channel,
    take,
    isOpen: true,
    text: addWhole(output.text, text),
    length: output.length + countCodePoints(text),
    hasText: output.hasText || text !== '' || take > 0,
    hasParts: output.hasParts,
    pieces: output.pieces,
  }
}

export function withLive(
  view: A2aView,
  live: OutputView,
  { isCopy }: Pick<A2aView, 'isCopy'> = view,
): A2aView {
  return {
    task: view.task,
    context: view.context,
    isCopy,
    isStarted: view.isStarted,
    outputs: view.outputs,
    live,
    artifacts: view.artifacts,
    answers: view.answers,
    thoughts: view.thoughts,
    hasForeign: view.hasForeign,
    questions: view.questions,
    hasState: view.hasState,
  }
}

/** The view with `live` moved into the table. */
function settled(view: A2aView): A2aView {
  const { live } = view
  if (live === undefined) return view
  return { ...view, outputs: tableSet(view.outputs, live.output, live), live: undefined }
}

function setOutput(view: A2aView, id: string, change: Partial<OutputView>): A2aView {
  const output = outputOf(view, id)
  if (output === undefined) return view
  const changed = { ...output, ...change }
  if (view.live?.output === id) return { ...view, live: changed }
  return { ...view, outputs: tableSet(view.outputs, id, changed) }
}

/** What first names an output. */
interface Opening {
  readonly output: string
  readonly channel: TextChannel
  readonly ext: Meta['ext']
}

function openingOf({ output, meta }: TextDelta | TextReset | PartAdd, channel: TextChannel): Opening {
  return { output, channel, ext: meta?.ext }
}

function openOutput(
  view: A2aView,
  { output: id, channel, ext }: Opening,
  dialects: readonly string[],
): A2aView {
  if (outputOf(view, id) !== undefined) return view
  const known = keptIn(ext, dialects)
  const own = known === undefined ? '' : safeId(known.kept.artifact ?? id)
  const answers = view.answers + (channel === 'answer' ? 1 : 0)
  const thoughts = view.thoughts + (channel === 'answer' ? 0 : 1)
  const artifact = freeId(view, own || (channel === 'answer' ? answerId(answers) : `reasoning.${thoughts}`))
  const output: OutputView = {
    output: id,
    artifact,
    isOwn: own !== '',
    channel,
    take: -1,
    isOpen: false,
    text: '',
    length: 0,
    hasText: false,
    hasParts: false,
    pieces: undefined,
  }
  return forgetEnded({
    ...view,
    answers,
    thoughts,
    hasForeign: view.hasForeign || own === '',
    outputs: tableSet(view.outputs, id, output),
    artifacts: tableSet(view.artifacts, artifact, true),
  })
}

/** Forgets the outputs that the session's state forgets, at the same place of the log. */
function forgetEnded(before: A2aView): A2aView {
  if (before.outputs.size <= window.rows) return before
  const view = settled(before)
  const outputs = forgetOldest(view.outputs, ({ isOpen }) => !isOpen)
  let artifacts = emptyTable<true>()
  for (const { artifact } of tableValues(outputs)) artifacts = tableSet(artifacts, artifact, true)
  return { ...view, outputs, artifacts }
}

function answerId(ordinal: number): string {
  return ordinal === 1 ? streamDelta : `${streamDelta}.${ordinal}`
}

function freeId(view: A2aView, wanted: string): string {
  let id = wanted
  while (tableGet(view.artifacts, id) !== undefined) id += '.x'
  return id
}
