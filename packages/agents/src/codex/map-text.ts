import {
  type SluiceEvent,
  type Table,
  type TextChannel,
  tableGet,
  tableSet,
  tableValues,
} from '@sluice/protocol'

/** A message so far. It grows until it is whole, and ends once something else starts. */
export interface TextTrack {
  readonly output: string
  readonly channel: TextChannel
  readonly text: string
  readonly phase: 'grows' | 'whole' | 'ended'
}

export interface TextStates {
  readonly table: Table<TextTrack>
  /** The output of the last message that was emitted. */
  readonly last: string | undefined
}

export interface MappedText {
  readonly texts: TextStates
  readonly events: readonly SluiceEvent[]
}

export interface MessageText {
  readonly output: string
  readonly channel: TextChannel
  readonly text: string
  /** Whether the text is complete. */
  readonly isWhole: boolean
}

/** Maps a message so far, without repeating text that was already emitted. */
export function mapText(texts: TextStates, message: MessageText): MappedText {
  const { output, text, isWhole } = message
  const known = tableGet(texts.table, output)
  if (known !== undefined && known.phase !== 'grows') return { texts, events: [] }
  const told = known?.text ?? ''
  const channel = known?.channel ?? message.channel
  const isOther = !text.startsWith(told)
  const rest = isOther ? text : text.slice(told.length)
  if (told === '' && rest === '') return { texts, events: [] }
  const before = output === texts.last ? { texts, events: [] } : endWhole(texts)
  const events = [
    ...before.events,
    ...(isOther ? toReset(output, channel) : []),
    ...(rest === '' ? [] : [toDelta(output, channel, rest)]),
  ]
  const track: TextTrack = { output, channel, text, phase: isWhole ? 'whole' : 'grows' }
  return { texts: withTrack(before.texts, track), events }
}

/**
 * Maps a further piece of a message. Does not compare it with the text so far, which would take longer for
 * each piece.
 */
export function appendText(texts: TextStates, output: string, piece: string): MappedText {
  const { text = '', channel = 'answer', phase = 'grows' } = tableGet(texts.table, output) ?? {}
  if (phase !== 'grows' || piece === '') return { texts, events: [] }
  const before = output === texts.last ? { texts, events: [] } : endWhole(texts)
  const track: TextTrack = { output, channel, text: text + piece, phase }
  return {
    texts: withTrack(before.texts, track),
    events: [...before.events, toDelta(output, channel, piece)],
  }
}

/** Ends the last message if it is whole, because something else starts. */
export function endWhole(texts: TextStates): MappedText {
  const { last, table } = texts
  const track = last === undefined ? undefined : tableGet(table, last)
  if (track?.phase !== 'whole') return { texts, events: [] }
  const { output } = track
  return {
    texts: withTrack(texts, { ...track, text: '', phase: 'ended' }),
    events: [{ kind: 'text-end', output, take: 0 }],
  }
}

/** Ends all messages at the end of the output, and marks those that are not whole as interrupted. */
export function endTexts(texts: TextStates): MappedText {
  const ended = endWhole(texts)
  const growing = tableValues(ended.texts.table).filter(({ phase }) => phase === 'grows')
  return {
    texts: growing.reduce(
      (all, track) => withTrack(all, { ...track, text: '', phase: 'ended' }),
      ended.texts,
    ),
    events: [
      ...ended.events,
      ...growing.map(({ output }): SluiceEvent => ({ kind: 'text-end', output, take: 0, interrupted: true })),
    ],
  }
}

function withTrack({ table }: TextStates, track: TextTrack): TextStates {
  return { table: tableSet(table, track.output, track), last: track.output }
}

function toReset(output: string, channel: TextChannel): readonly SluiceEvent[] {
  return [
    { kind: 'text-end', output, take: 0, interrupted: true },
    { kind: 'text-reset', output, take: 0, channel },
  ]
}

function toDelta(output: string, channel: TextChannel, text: string): SluiceEvent {
  return { kind: 'text-delta', output, take: 0, position: 0, channel, text }
}
