import { toCarried } from '../../carry.ts'
import { describe } from '../../describe.ts'
import type { Notice, SluiceEvent, Unknown } from '../../events.ts'
import { maxFrameDepth } from '../../intake.ts'
import { isDeeperThan, type JsonObject } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { knownTypes } from './decode.ts'
import { encodeText, spell } from './encode-text.ts'
import { encodeToolCall, encodeToolResult } from './encode-tool.ts'
import type { Kept } from './kept.ts'
import { payloads } from './payloads.ts'
import type { Surroundings } from './surroundings.ts'

export type OutValue = JsonObject

/** The frame of one event, if this dialect needs one. */
export function encodeEvent(around: Surroundings, event: SluiceEvent): OutValue | undefined {
  const { isOwn, kept } = around
  if (isSilent(around, event)) return undefined
  if (kept.type !== undefined && kept.data !== undefined)
    return { type: kept.type, data: kept.data, ...kept.fields }
  switch (event.kind) {
    case 'text-delta':
      return encodeText(around, event)
    case 'tool-call':
      return encodeToolCall(around, event)
    case 'tool-result':
      return encodeToolResult(around, event)
    case 'notice':
      return isOwn ? repeatNotice(event, kept) : toNotice(event)
    case 'sources':
      return isTooDeep(event.items, 1) ? toLog(event) : { type: 'sources', data: event.items, ...kept.fields }
    case 'unknown':
      return encodeUnknown(event, kept)
    case 'session-start':
      return event.request === undefined && event.tools === undefined ? undefined : toLog(event)
    case 'session-end':
    case 'state-change':
    case 'progress':
    case 'message':
    case 'text-end':
    case 'text-reset':
    case 'part-add':
    case 'tool-call-delta':
    case 'question-open':
    case 'question-close':
    case 'handoff':
    case 'usage':
    case 'state-data':
      return toLog(event)
  }
}

/** True for an event that the session's order implies, and that a reader of this dialect implies again. */
function isSilent({ isOwn }: Surroundings, event: SluiceEvent): boolean {
  if (event.meta?.implied !== true) return false
  if (event.kind === 'text-delta') return event.text === ''
  // A session of another dialect may end without any frame before: then only its end shows that it existed.
  if (event.kind === 'session-end') return isOwn && event.outcome === 'completed'
  return event.kind !== 'tool-call'
}

function toNotice(event: Notice): OutValue {
  const { level, text, code } = event
  const sluice = code === undefined ? undefined : toCarried(event, payloads)
  if (level === 'error') return { type: 'error', data: omitUndefined({ error: text, sluice }) }
  return { type: 'log', data: omitUndefined({ level, message: text, sluice }) }
}

function repeatNotice(event: Notice, kept: Kept): OutValue {
  const type = kept.type ?? (event.level === 'error' ? 'error' : 'log')
  if (type === 'error') return { type, data: spell(kept, 'error', event.text), ...kept.fields }
  const spelled = spell(kept, 'message', event.text)
  const level = kept.level === undefined ? event.level : kept.level
  const data = typeof spelled === 'string' || level === null ? spelled : { level, ...spelled }
  return { type, data, ...kept.fields }
}

function encodeUnknown(event: Unknown, kept: Kept): OutValue {
  const { type, data } = event
  // A frame of this dialect with unreadable data goes out as it came in and is not decoded again.
  if (kept.type === type) return { type, data, ...kept.fields }
  return knownTypes.has(type) || isTooDeep(data, 1) ? toLog(event) : { type, data }
}

/** A log that describes the event to people and carries it for machines. */
function toLog(event: SluiceEvent): OutValue {
  const sluice = toCarried(event, payloads)
  const data = { level: levelOf(event), message: describe(event) }
  return { type: 'log', data: isTooDeep(sluice, 2) ? data : { ...data, sluice } }
}

function levelOf(event: SluiceEvent): Notice['level'] {
  if (event.kind === 'tool-call-delta') return 'debug'
  return event.kind === 'session-end' && event.outcome !== 'completed' ? 'error' : 'info'
}

/** Whether a reader would refuse a frame that holds this value `levels` levels down. */
function isTooDeep(value: Parameters<typeof isDeeperThan>[0], levels: number): boolean {
  return isDeeperThan(value, maxFrameDepth - levels)
}
