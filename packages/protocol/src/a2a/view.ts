import type { Meta, QuestionType, SluiceEvent, TextChannel } from '../events.ts'
import { hashHex } from '../session-id.ts'
import type { SessionState } from '../session-state.ts'
import { emptyTable, type Table, tableGet, tableSet, tableValues } from '../table.ts'
import { streamDelta } from './profile.ts'
import { safeId } from './safe-id.ts'
import { keptIn } from './skeleton.ts'

/** An output as a client of A2A sees it. */
export interface OutputView {
  readonly output: string
  readonly artifact: string
  /** The output was an artifact from the beginning, and keeps its id. */
  readonly isOwn: boolean
  readonly channel: TextChannel
  readonly take: number
  /** The text of the open take. */
  readonly text: string
  /** Text was sent, in this take or an earlier one. */
  readonly hasText: boolean
  readonly hasParts: boolean
  /** Made with the first appended chunk. */
  readonly pieces: ChunkPieces | undefined
}

/** The JSON of an appended chunk around its text and what it carries in `metadata.sluice`. */
export interface ChunkPieces {
  readonly before: string
  readonly between: string
  readonly after: string
  /** What every chunk of the output carries. */
  readonly members: string
}

/** What an encoder remembers of a session. All of it follows from the session's state. */
export interface A2aView {
  readonly task: string
  readonly context: string
  /** Every entry so far was a clean frame of this dialect, handed on as it was. */
  readonly isCopy: boolean
  readonly isStarted: boolean
  /** The outputs but for the one in `live`. */
  readonly outputs: Table<OutputView>
  /** The output whose text came last: setting it costs no copy of the table. */
  readonly live: OutputView | undefined
  /** The artifact ids in use. */
  readonly artifacts: Table<true>
  readonly answers: number
  readonly thoughts: number
  /** Some output got its artifact id from us. */
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
    questions: tableValues(session.questions)
      .filter(({ closed }) => closed === undefined)
      .map(({ opened }) => ({ token: opened.token, question: opened.question })),
    hasState: session.data !== undefined,
  }
  for (const output of tableValues(session.outputs)) {
    view = openOutput(view, output.output, output.channel, output.ext, dialects)
    view = setOutput(view, output.output, {
      take: output.take,
      text: output.open ? output.text : '',
      hasText: output.length > 0 || output.take > 0,
      hasParts: output.parts.length > 0,
    })
  }
  return view
}

/** The view after an event. */
export function advanceView(view: A2aView, event: SluiceEvent, dialects: readonly string[]): A2aView {
  switch (event.kind) {
    case 'session-start':
      return view.isStarted ? view : { ...view, isStarted: true }
    case 'text-delta': {
      const opened = openOutput(view, event.output, event.channel, event.meta?.ext, dialects)
      const output = outputOf(opened, event.output)
      if (output === undefined) return opened
      const isLive = opened.live?.output === event.output
      return withLive(isLive ? opened : settled(opened), withText(output, event.take, event.text))
    }
    case 'text-reset': {
      const opened = openOutput(view, event.output, event.channel, event.meta?.ext, dialects)
      return setOutput(opened, event.output, { take: event.take, text: '', hasText: event.take > 0 })
    }
    case 'text-end':
      return setOutput(view, event.output, { text: '' })
    case 'part-add':
      return setOutput(openOutput(view, event.output, 'answer', event.meta?.ext, dialects), event.output, {
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
    default:
      return view
  }
}

export function outputOf(view: A2aView, id: string): OutputView | undefined {
  return view.live?.output === id ? view.live : tableGet(view.outputs, id)
}

/** Written out, like the next one: both run for every delta, and a spread takes several times as long. */
export function withText(output: OutputView, take: number, text: string): OutputView {
  return {
    output: output.output,
    artifact: output.artifact,
    isOwn: output.isOwn,
    channel: output.channel,
    take,
    text: output.text + text,
    hasText: output.hasText || text !== '' || take > 0,
    hasParts: output.hasParts,
    pieces: output.pieces,
  }
}

export function withLive(view: A2aView, live: OutputView, isCopy = view.isCopy): A2aView {
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

/** The view with nothing outside the table. */
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

function openOutput(
  view: A2aView,
  id: string,
  channel: TextChannel,
  ext: Meta['ext'],
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
    text: '',
    hasText: false,
    hasParts: false,
    pieces: undefined,
  }
  return {
    ...view,
    answers,
    thoughts,
    hasForeign: view.hasForeign || own === '',
    outputs: tableSet(view.outputs, id, output),
    artifacts: tableSet(view.artifacts, artifact, true),
  }
}

function answerId(ordinal: number): string {
  return ordinal === 1 ? streamDelta : `${streamDelta}.${ordinal}`
}

function freeId(view: A2aView, wanted: string): string {
  let id = wanted
  while (tableGet(view.artifacts, id) !== undefined) id += '.x'
  return id
}
