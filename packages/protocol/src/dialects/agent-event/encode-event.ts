import { toCarried } from '../../carry.ts'
import { describe } from '../../describe.ts'
import type { Message, Meta, Notice, QuestionOpen, SluiceEvent, Unknown } from '../../events.ts'
import type { Draft } from '../../frames.ts'
import type { JsonValue } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { boundData, fitsData, maxMessageBytes, maxTextBytes, splitUtf8, truncateUtf8 } from './bounds.ts'
import { isSilent, toCompletion } from './encode-completion.ts'
import { encodeText } from './encode-text.ts'
import { encodeTool } from './encode-tool.ts'
import { toSessionFacet } from './facets.ts'
import { type Kept, keptOf } from './kept.ts'
import { channelOf, type OutValue, repeat, type Surroundings } from './out-value.ts'
import { payloads } from './payloads.ts'
import { longQuestion, toPieces } from './pieces.ts'
import { toOutputName } from './wire-names.ts'

/** Adds the frames of one event. `isOwn`: the event came in a frame of this dialect. */
export function encodeEvent(
  around: Surroundings,
  event: SluiceEvent,
  isOwn: boolean,
  index: number,
  drafts: Draft<OutValue>[],
): void {
  if (isSilent(event)) return
  const { agentKind } = around
  const add = (value: OutValue): void => void drafts.push({ value, events: index + 1 })
  const kept: Kept = isOwn ? keptOf(event) : {}
  if (kept.kind !== undefined) {
    add(repeat(agentKind, kept.kind, event.meta, kept))
    return
  }
  switch (event.kind) {
    case 'session-start':
      // The request is a payload, and the first event shows that a run has started.
      if (event.tools !== undefined && event.tools.length > 0) add(toStatus(agentKind, event))
      return
    case 'session-end':
      add(toCompletion(event, isOwn, around.handle))
      return
    case 'text-delta':
      encodeText(agentKind, event, isOwn, kept, index, drafts)
      return
    case 'message':
      encodeMessage(agentKind, event, isOwn, kept, index, drafts)
      return
    case 'tool-call':
    case 'tool-result':
      add(encodeTool(around, event, isOwn))
      return
    case 'tool-call-delta':
      return // Its text is a payload, and an earlier frame said that the tool runs.
    case 'notice':
      add(isOwn ? repeatNotice(agentKind, event, kept) : toNotice(agentKind, event))
      return
    case 'unknown':
      add(toUnknown(agentKind, event, isOwn, kept))
      return
    case 'question-open':
      encodeQuestion(agentKind, event, index, drafts)
      return
    case 'text-end':
    case 'text-reset':
    case 'part-add':
      add(toStatus(agentKind, { ...event, output: toOutputName(event.output) }))
      return
    case 'state-change':
    case 'progress':
    case 'sources':
    case 'question-close':
    case 'handoff':
    case 'usage':
    case 'state-data':
      add(toStatus(agentKind, event))
      return
  }
  event satisfies never
}

function encodeMessage(
  agentKind: string,
  event: Message,
  isOwn: boolean,
  kept: Kept,
  index: number,
  drafts: Draft<OutValue>[],
): void {
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
  if (values.length === 0) values.push(toStatus(agentKind, event))
  for (const [place, value] of values.entries()) {
    const isPart = place < values.length - 1
    drafts.push({ value, events: isPart ? index : index + 1, isPart })
  }
}

/** A person must get the whole question: one that does not fit into a frame goes in pieces. */
function encodeQuestion(
  agentKind: string,
  event: QuestionOpen,
  index: number,
  drafts: Draft<OutValue>[],
): void {
  const carried = toCarried(event, payloads)
  const pieces = fitsData({ sluice: carried }) ? [carried] : toPieces(carried)
  for (const [place, sluice] of pieces.entries()) {
    const isLast = place === pieces.length - 1
    const message = isLast ? describe(event) : longQuestion
    drafts.push({
      value: status(agentKind, event.meta, message, { sluice }),
      events: isLast ? index + 1 : index,
      isPart: !isLast,
    })
  }
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

function repeatNotice(agentKind: string, event: Notice, kept: Kept): OutValue {
  const message = event.text === '' && kept.message === undefined ? {} : { message: event.text }
  return repeat(agentKind, event.level === 'error' ? 'Error' : 'Status', event.meta, { ...kept, ...message })
}

function toUnknown(agentKind: string, event: Unknown, isOwn: boolean, kept: Kept): OutValue {
  // A frame that could not be read has no meta. Nothing of it was understood, so nothing of it is repeated.
  const isRead = isOwn && event.meta !== undefined
  if (isRead && event.type === 'Unknown') {
    const data = event.data === null ? {} : { data: event.data }
    return repeat(agentKind, 'Unknown', event.meta, { ...kept, ...data })
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

function toStatus(agentKind: string, event: SluiceEvent): OutValue {
  return status(agentKind, event.meta, describe(event), { sluice: toCarried(event, payloads) })
}

function status(agentKind: string, meta: Meta | undefined, message: string, data: JsonValue): OutValue {
  return {
    agent_kind: agentKind,
    kind: 'Status',
    ...channelOf(meta?.channel, 'status'),
    message: truncateUtf8(message, maxMessageBytes),
    data: boundData(data),
  }
}
