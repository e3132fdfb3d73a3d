import type { Meta, SluiceEvent, TextChannel } from '../../events.ts'
import { isJsonObject, type JsonObject } from '../../json.ts'
import type { SessionState } from '../../session-state.ts'
import { tableGet } from '../../table.ts'
import type { WireEvent } from './read-frame.ts'

/** The output of text on the channel `assistant`, or on none. */
export const answerOutput = 'answer'
export const reasoningOutput = 'reasoning'

export function decodeTextOutput(event: WireEvent, meta: Meta, session: SessionState): SluiceEvent {
  const { channel, data } = event
  const text = event.text ?? ''
  const sluice = isJsonObject(data) && isJsonObject(data['sluice']) ? data['sluice'] : undefined
  const message = sluice?.['message']
  if (isJsonObject(message) && typeof message['id'] === 'string') {
    const role = channel === 'user' ? 'user' : 'agent'
    return { kind: 'message', id: message['id'], role, parts: [{ type: 'text', text }], meta }
  }
  if (channel === 'user')
    return {
      kind: 'message',
      id: `msg_${session.seq + 1}`,
      role: 'user',
      parts: [{ type: 'text', text }],
      meta,
    }
  const label = sluice?.['output']
  const output = typeof label === 'string' ? label : outputOf(channel)
  const before = tableGet(session.outputs, output)
  const take = Math.max(0, before?.take ?? 0)
  const position = before?.length ?? 0
  const textChannel = textChannelOf(channel)
  const { contentType, language } = sluice ?? noLabel
  if (contentType === undefined && language === undefined)
    return { kind: 'text-delta', output, take, text, position, channel: textChannel, meta }
  return {
    kind: 'text-delta',
    output,
    take,
    text,
    position,
    channel: textChannel,
    ...(typeof contentType === 'string' ? { contentType } : {}),
    ...(typeof language === 'string' ? { language } : {}),
    meta,
  }
}

const noLabel: JsonObject = {}

function outputOf(channel: string | undefined): string {
  if (channel === undefined || channel === '' || channel === 'assistant') return answerOutput
  return channel === 'thinking' ? reasoningOutput : channel
}

function textChannelOf(channel: string | undefined): TextChannel {
  return channel === 'thinking' || channel === 'reasoning' ? 'reasoning' : 'answer'
}
