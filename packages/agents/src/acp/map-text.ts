import {
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type Part,
  type SluiceEvent,
  type TextChannel,
} from '@sluice/protocol'
import { toObject, toText } from './native.ts'

/** The texts of a turn so far. */
export interface TextState {
  /** How many texts have started. */
  readonly count: number
  readonly open:
    | { readonly output: string; readonly channel: TextChannel; readonly message: string | undefined }
    | undefined
  /** The latest answer text, cut to `maxAnswerUnits`. */
  readonly answer: string
}

export interface TextStep {
  readonly state: TextState
  readonly events: readonly SluiceEvent[]
}

export const noText: TextState = { count: 0, open: undefined, answer: '' }

/** One more than the bytes at which a final text is cut, so that the cut shows. */
const maxAnswerUnits = 65_537
/** Larger files are dropped, because a file cannot be cut. */
const maxInlineUnits = 262_144

/** Adds a piece of a message to the open text, or starts another text for another message or channel. */
export function addChunk(before: TextState, channel: TextChannel, chunk: JsonObject): TextStep {
  const content = toObject(chunk['content'])
  const text = content['type'] === 'text' ? toText(content['text']) : undefined
  const part = text === undefined && channel === 'answer' ? toPart(content) : undefined
  if (text === undefined && part === undefined) return { state: before, events: [] }
  const { state, output, events } = openText(before, channel, toText(chunk['messageId']))
  if (part !== undefined) return { state, events: [...events, { kind: 'part-add', output, part }] }
  const delta = { kind: 'text-delta', output, take: 0, position: 0, text: text ?? '', channel } as const
  const answer = state.answer + delta.text
  return {
    state: channel === 'answer' ? { ...state, answer: answer.slice(0, maxAnswerUnits) } : state,
    events: [...events, delta],
  }
}

/** Ends the open text. */
export function endText(state: TextState, { isInterrupted = false } = {}): TextStep {
  if (state.open === undefined) return { state, events: [] }
  const { output } = state.open
  return {
    state: { ...state, open: undefined },
    events: [{ kind: 'text-end', output, take: 0, ...(isInterrupted ? { interrupted: true } : {}) }],
  }
}

function openText(
  before: TextState,
  channel: TextChannel,
  message: string | undefined,
): TextStep & { readonly output: string } {
  const { open } = before
  if (open?.channel === channel && open.message === message)
    return { state: before, output: open.output, events: [] }
  const { state, events } = endText(before)
  const count = state.count + 1
  const output = `text-${count}`
  const answer = channel === 'answer' ? '' : state.answer
  return { state: { count, open: { output, channel, message }, answer }, output, events }
}

type Attachment = Exclude<Part, { type: 'text' }>

/** Content other than text. */
function toPart(content: JsonObject): Attachment | undefined {
  switch (content['type']) {
    case 'image':
    case 'audio':
      return toFile(content, content['data'], undefined)
    case 'resource_link':
      return toFile(content, undefined, content['uri'])
    case 'resource': {
      const resource = toObject(content['resource'])
      const text = toText(resource['text'])
      const data = text === undefined ? resource['blob'] : Buffer.from(text).toString('base64')
      return toFile(resource, data, undefined)
    }
    default:
      return undefined
  }
}

function toFile(
  { name, mimeType }: JsonObject,
  data: JsonValue | undefined,
  link: JsonValue | undefined,
): Attachment | undefined {
  const inline = toText(data)
  const uri = inline === undefined ? toText(link) : undefined
  if (inline === undefined && uri === undefined) return undefined
  if (inline !== undefined && inline.length > maxInlineUnits)
    return { type: 'data', data: { dropped: { reason: 'oversize' } } }
  const title = toText(name)
  const mediaType = toText(mimeType)
  return omitUndefined({
    type: 'file',
    name: title,
    mediaType,
    inline,
    uri,
  })
}
