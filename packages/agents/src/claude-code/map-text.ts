import {
  emptyTable,
  type Meta,
  type SluiceEvent,
  type Table,
  type TextChannel,
  tableGet,
  tableSet,
} from '@sluice/protocol'

/** One text of a message, as emitted so far. */
interface ToldText {
  readonly output: string
  readonly channel: TextChannel
  readonly text: string
  /** The index of its block in the message, if it came in pieces. */
  readonly index: number | undefined
  /** It came as a whole, so nothing of it is missing. */
  readonly isConfirmed: boolean
}

interface ToldMessage {
  readonly id: string
  readonly texts: readonly ToldText[]
}

/** A text whose end has not been emitted yet. */
interface OpenText {
  readonly output: string
  readonly parent: string | undefined
  readonly isWhole: boolean
}

/** The emitted messages. Each agent, the main one and every subagent, writes one message at a time. */
export interface Texts {
  /** Each agent's current or last message, by the call that started the agent; '' for the main agent. */
  readonly messages: Table<ToldMessage>
  /** The ids of earlier messages. */
  readonly past: Table<true>
  readonly open: readonly OpenText[]
  /** How many messages had no id. */
  readonly nameless: number
}

export interface TextStep {
  readonly texts: Texts
  readonly events: readonly SluiceEvent[]
}

export const noTexts: Texts = { messages: emptyTable(), past: emptyTable(), open: [], nameless: 0 }

/** Starts a message of an agent, unless it is already the current one. */
export function beginMessage(texts: Texts, parent: string | undefined, id: string | undefined): Texts {
  const lane = parent ?? ''
  const before = tableGet(texts.messages, lane)
  if (before !== undefined && before.id === id) return texts
  const nameless = id === undefined ? texts.nameless + 1 : texts.nameless
  return {
    ...texts,
    nameless,
    messages: tableSet(texts.messages, lane, { id: id ?? `message-${nameless}`, texts: [] }),
    past: before === undefined ? texts.past : tableSet(texts.past, before.id, true),
  }
}

/** Adds a piece of text, from the block at `index` of the message that this agent is writing. */
export function addPiece(
  texts: Texts,
  parent: string | undefined,
  { channel, index, text }: { readonly channel: TextChannel; readonly index: number; readonly text: string },
): TextStep {
  if (text === '') return { texts, events: [] }
  const begun = currentOf(texts, parent) === undefined ? beginMessage(texts, parent, undefined) : texts
  const known = currentOf(begun, parent)?.texts.findLast(
    (told) => told.index === index && told.channel === channel,
  )
  // A piece for a text that has already ended starts another text.
  if (known === undefined || !isOpen(begun, known))
    return addText(begun, parent, { channel, index, text, isConfirmed: false })
  return {
    texts: replaceText(begun, parent, { known, next: { ...known, text: known.text + text } }),
    events: [toDelta(known, text, parent)],
  }
}

/** Marks a block that came in pieces as whole. */
export function stopPieces(texts: Texts, parent: string | undefined, index: number): Texts {
  const told = currentOf(texts, parent)?.texts.find((text) => text.index === index)
  return told === undefined ? texts : markWhole(texts, told.output)
}

/** Adds a whole text. The pieces of it that were already emitted are compared, and not repeated. */
export function addWhole(
  texts: Texts,
  parent: string | undefined,
  {
    id,
    channel,
    text,
  }: { readonly id: string | undefined; readonly channel: TextChannel; readonly text: string },
): TextStep {
  if (text === '' || (id !== undefined && tableGet(texts.past, id) === true)) return { texts, events: [] }
  const begun = beginMessage(texts, parent, id)
  const told = (currentOf(begun, parent)?.texts ?? []).filter((each) => each.channel === channel)
  const known = told.find(({ isConfirmed }) => !isConfirmed)
  if (known !== undefined) return confirm(begun, known, { parent, text })
  if (told.some((each) => each.text === text)) return { texts: begun, events: [] }
  return addText(begun, parent, { channel, index: undefined, text, isConfirmed: true })
}

function confirm(
  texts: Texts,
  known: ToldText,
  { parent, text }: { readonly parent: string | undefined; readonly text: string },
): TextStep {
  const next = { ...known, text, isConfirmed: true }
  const confirmed = replaceText(texts, parent, { known, next })
  if (isOpen(texts, known) && text.startsWith(known.text)) {
    const rest = text.slice(known.text.length)
    const events = rest === '' ? [] : [toDelta(known, rest, parent)]
    return { texts: markWhole(confirmed, known.output), events }
  }
  if (text === known.text) return { texts: confirmed, events: [] }
  const { output, channel } = known
  const open = [...texts.open.filter((each) => each.output !== output), { output, parent, isWhole: true }]
  const reset: SluiceEvent = { kind: 'text-reset', output, take: 0, channel, ...metaOf(parent) }
  return { texts: { ...confirmed, open }, events: [reset, toDelta(known, text, parent)] }
}

/** Ends the texts of an agent that starts something else, and all texts that are whole. */
export function endTexts(texts: Texts, parent: string | undefined): TextStep {
  return end(texts, (open) => open.isWhole || open.parent === parent)
}

/** Ends all texts, at the end of the output. */
export function endAllTexts(texts: Texts): TextStep {
  return end(texts, () => true)
}

/** The answer in the last message of the main agent; undefined if it has none. */
export function lastAnswer(texts: Texts): string | undefined {
  const answers = currentOf(texts, undefined)?.texts.filter(({ channel }) => channel === 'answer') ?? []
  return answers.length === 0 ? undefined : answers.map(({ text }) => text).join('\n')
}

function end(texts: Texts, isOver: (open: OpenText) => boolean): TextStep {
  const over = texts.open.filter(isOver)
  if (over.length === 0) return { texts, events: [] }
  return {
    texts: { ...texts, open: texts.open.filter((open) => !over.includes(open)) },
    events: over.map(({ output, parent, isWhole }) => ({
      kind: 'text-end',
      output,
      take: 0,
      ...(isWhole ? {} : { interrupted: true as const }),
      ...metaOf(parent),
    })),
  }
}

function addText(
  texts: Texts,
  parent: string | undefined,
  { channel, index, text, isConfirmed }: Omit<ToldText, 'output'>,
): TextStep {
  const ended = endTexts(texts, parent)
  const message = currentOf(ended.texts, parent) ?? { id: '', texts: [] }
  const count = message.texts.filter((told) => told.channel === channel).length + 1
  const base = channel === 'answer' ? message.id : `${message.id}.thinking`
  const told: ToldText = {
    output: count === 1 ? base : `${base}.${count}`,
    channel,
    text,
    index,
    isConfirmed,
  }
  return {
    texts: {
      ...ended.texts,
      messages: tableSet(ended.texts.messages, parent ?? '', { ...message, texts: [...message.texts, told] }),
      open: [...ended.texts.open, { output: told.output, parent, isWhole: isConfirmed }],
    },
    events: [...ended.events, toDelta(told, text, parent)],
  }
}

function isOpen(texts: Texts, { output }: ToldText): boolean {
  return texts.open.some((open) => open.output === output)
}

function currentOf(texts: Texts, parent: string | undefined): ToldMessage | undefined {
  return tableGet(texts.messages, parent ?? '')
}

function replaceText(
  texts: Texts,
  parent: string | undefined,
  { known, next }: { readonly known: ToldText; readonly next: ToldText },
): Texts {
  const message = currentOf(texts, parent)
  if (message === undefined) return texts
  const told = message.texts.map((text) => (text === known ? next : text))
  return { ...texts, messages: tableSet(texts.messages, parent ?? '', { ...message, texts: told }) }
}

function markWhole(texts: Texts, output: string): Texts {
  return {
    ...texts,
    open: texts.open.map((open) => (open.output === output ? { ...open, isWhole: true } : open)),
  }
}

function toDelta({ output, channel }: ToldText, text: string, parent: string | undefined): SluiceEvent {
  return { kind: 'text-delta', output, take: 0, position: 0, channel, text, ...metaOf(parent) }
}

function metaOf(parent: string | undefined): { readonly meta?: Meta } {
  return parent === undefined ? {} : { meta: { parent } }
}
