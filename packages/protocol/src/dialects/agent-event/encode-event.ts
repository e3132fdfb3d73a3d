import { toCarried } from '../../carry.ts'
import { describe } from '../../describe.ts'
import type { Message, Notice, QuestionOpen, SluiceEvent, Unknown } from '../../events.ts'
import type { Draft } from '../../frames.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { boundData, fitsData, maxMessageBytes, maxTextBytes, splitUtf8, truncateUtf8 } from './bounds.ts'
import { isSilent, toCompletion } from './encode-completion.ts'
import { encodeText } from './encode-text.ts'
import { encodeTool } from './encode-tool.ts'
import { toSessionFacet } from './facets.ts'
import { channelOf, type OutValue, repeat, type Surroundings } from './out-value.ts'
import { payloads } from './payloads.ts'
import { longQuestion, toPieces } from './pieces.ts'
import { toOutputName } from './wire-names.ts'

/** The frames of one event. Their places count from this event. */
export function encodeEvent(around: Surroundings, event: SluiceEvent): readonly Draft<OutValue>[] {
  if (isSilent(event)) return []
  const { isOwn, kept } = around
  const { agentKind } = around.view
  const { kind } = kept
  if (kind !== undefined) return one(repeat(agentKind, event.meta, { ...kept, kind }))
  switch (event.kind) {
    case 'session-start':
      // The request is a payload, and the first event shows that a run has started.
      return event.tools === undefined || event.tools.length === 0 ? [] : one(toStatus(agentKind, event))
    case 'session-end':
      return one(toCompletion(around, event))
    case 'text-delta':
      return encodeText(around, event)
    case 'message':
      return inParts(encodeMessage(around, event))
    case 'tool-call':
    case 'tool-result':
      return one(encodeTool(around, event))
    case 'tool-call-delta':
      return [] // Its text is a payload, and an earlier frame said that the tool runs.
    case 'notice':
      return one(isOwn ? repeatNotice(around, event) : toNotice(agentKind, event))
    case 'unknown':
      return one(toUnknown(around, event))
    case 'question-open':
      return inParts(encodeQuestion(agentKind, event))
    case 'text-end':
    case 'text-reset':
    case 'part-add':
      return one(toStatus(agentKind, { ...event, output: toOutputName(event.output) }))
    case 'state-change':
    case 'progress':
    case 'sources':
    case 'question-close':
    case 'handoff':
    case 'usage':
    case 'state-data':
      return one(toStatus(agentKind, event))
  }
}

function one(value: OutValue): readonly Draft<OutValue>[] {
  return [{ value, events: 1 }]
}

/** The last frame completes the event. */
function inParts(values: readonly OutValue[]): readonly Draft<OutValue>[] {
  return values.map((value, place) => {
    const isPart = place < values.length - 1
    return { value, events: isPart ? 0 : 1, isPart }
  })
}

function encodeMessage({ view, isOwn, kept }: Surroundings, event: Message): readonly OutValue[] {
  const { agentKind } = view
  const channel = isOwn ? event.meta?.channel : event.role === 'user' ? 'user' : 'assistant'
  const data = isOwn ? kept.data : { sluice: { message: { id: event.id } } }
  const values: OutValue[] = []
  for (const part of event.parts) {
    if (part.type !== 'text') values.push(toStatus(agentKind, { ...event, parts: [part] }))
    else
      for (const text of splitUtf8(part.text, maxTextBytes))
        values.push({
          agent_kind: agentKind,
          kind: 'TextOutput',
          ...channelOf(channel),
          text,
          ...omitUndefined({ data: data === undefined ? undefined : boundData(data) }),
          ...kept.fields,
        })
  }
  return values.length === 0 ? [toStatus(agentKind, event)] : values
}

/** A person must get the whole question: one that does not fit into a frame goes in pieces. */
function encodeQuestion(agentKind: string, event: QuestionOpen): readonly OutValue[] {
  const carried = toCarried(event, payloads)
  const pieces = fitsData({ sluice: carried }) ? [carried] : toPieces(carried)
  return pieces.map((sluice, place) => {
    const message = place === pieces.length - 1 ? describe(event) : longQuestion
    return toStatus(agentKind, event, { message, sluice })
  })
}

function toNotice(agentKind: string, event: Notice): OutValue {
  const kind = event.level === 'error' ? 'Error' : 'Status'
  const message = truncateUtf8(describe(event), maxMessageBytes)
  const facet = kind === 'Status' ? toSessionFacet(event.meta?.agent?.session) : undefined
  if (facet !== undefined)
    return {
      agent_kind: agentKind,
      kind,
      ...channelOf(event.meta?.channel, 'status'),
      message,
      data: facet,
    }
  const isSaid =
    (event.level === 'error' || event.level === 'info') && event.code === undefined && event.text === message
  return {
    agent_kind: agentKind,
    kind,
    ...channelOf(event.meta?.channel, kind === 'Error' ? 'error' : 'status'),
    message,
    ...(isSaid ? {} : { data: boundData({ sluice: toCarried(event, payloads) }) }),
  }
}

function repeatNotice({ view, kept }: Surroundings, event: Notice): OutValue {
  const kind = event.level === 'error' ? 'Error' : 'Status'
  const message = event.text === '' && kept.message === undefined ? {} : { message: event.text }
  return repeat(view.agentKind, event.meta, { ...kept, kind, ...message })
}

function toUnknown({ view, isOwn, kept }: Surroundings, event: Unknown): OutValue {
  const { agentKind } = view
  // A frame that could not be read has no meta. Nothing of it was understood, so nothing of it is repeated.
  const isRead = isOwn && event.meta !== undefined
  if (isRead && event.type === 'Unknown') {
    const data = event.data === null ? {} : { data: event.data }
    return repeat(agentKind, event.meta, { ...kept, kind: 'Unknown', ...data })
  }
  // Nobody has said whether foreign data is safe to send (event envelope, "Safety").
  const sluice = { kind: 'unknown', type: event.type, data: isRead ? event.data : null }
  return {
    agent_kind: agentKind,
    kind: 'Unknown',
    ...channelOf(event.meta?.channel),
    message: truncateUtf8(describe(event), maxMessageBytes),
    data: boundData({ sluice }),
  }
}

function toStatus(
  agentKind: string,
  event: SluiceEvent,
  { message, sluice } = { message: describe(event), sluice: toCarried(event, payloads) },
): OutValue {
  return {
    agent_kind: agentKind,
    kind: 'Status',
    ...channelOf(event.meta?.channel, 'status'),
    message: truncateUtf8(message, maxMessageBytes),
    data: boundData({ sluice }),
  }
}
