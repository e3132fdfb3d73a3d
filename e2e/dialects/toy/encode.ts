import { omitUndefined } from '@sluice/protocol'
import { toCarried } from '../../../packages/protocol/src/carry.ts'
import { type CopyingView, createCopyingEncoder } from '../../../packages/protocol/src/copying-encoder.ts'
import { describe } from '../../../packages/protocol/src/describe.ts'
import type { DialectSupports, Encoder } from '../../../packages/protocol/src/dialect.ts'
import type { SessionEnd, SluiceEvent, TextDelta } from '../../../packages/protocol/src/events.ts'
import { maxFrameDepth } from '../../../packages/protocol/src/intake.ts'
import { isDeeperThan, type JsonObject } from '../../../packages/protocol/src/json.ts'
import { mainOutput } from './decode.ts'

export const dialectId = 'toy'
export const payloads: DialectSupports['payloads'] = { request: false, toolArgs: false, toolResults: false }

/** No frame depends on one before it, so a client joins anywhere without a preamble. */
export const toyEncoder: Encoder<CopyingView> = createCopyingEncoder<CopyingView, JsonObject>({
  dialect: dialectId,
  toView: ({ uniform }) => ({ copy: uniform === undefined || uniform === dialectId }),
  advance: (view) => view,
  encodeDelta: () => undefined,
  encodeEntry(view, { events }, drafts) {
    for (const [index, event] of events.entries()) {
      const value = encodeEvent(event)
      if (value !== undefined) drafts.push({ value, events: index + 1 })
    }
    return view
  },
})

/** The frame of an event; undefined if a reader infers the event, or if only a payload would be left. */
function encodeEvent(event: SluiceEvent): JsonObject | undefined {
  if (isInferred(event)) return undefined
  switch (event.kind) {
    case 'text-delta':
      return encodeText(event)
    case 'session-end':
      return encodeEnd(event)
    case 'tool-call-delta':
      return undefined
    case 'notice':
      return event.level === 'info' && event.code === undefined ? { note: event.text } : toNote(event)
    case 'session-start':
      return event.tools === undefined ? undefined : toNote(event)
    case 'state-change':
    case 'progress':
    case 'message':
    case 'text-end':
    case 'text-reset':
    case 'part-add':
    case 'tool-call':
    case 'tool-result':
    case 'sources':
    case 'question-open':
    case 'question-close':
    case 'handoff':
    case 'usage':
    case 'state-data':
    case 'unknown':
      return toNote(event)
  }
}

/** Settling adds these events again on the reader's side. Calls, ends and texts must be on the wire. */
function isInferred({ kind, meta }: SluiceEvent): boolean {
  return meta?.implied === true && kind !== 'tool-call' && kind !== 'session-end' && kind !== 'text-delta'
}

function encodeText({
  output,
  text,
  channel,
  position,
  contentType,
  language,
}: TextDelta): JsonObject | undefined {
  // An empty text matters only where a text begins: outputs keep their order.
  if (text === '' && position > 0) return undefined
  return {
    say: text,
    ...(output === mainOutput ? {} : { output }),
    ...(channel === 'reasoning' ? { thought: true } : {}),
    ...omitUndefined({ contentType, language }),
  }
}

function encodeEnd(event: SessionEnd): JsonObject {
  const sluice = toCarried(event, payloads)
  return Object.keys(sluice).length > 2 ? { done: event.outcome, sluice } : { done: event.outcome }
}

/** A note that describes the event for people and carries it for machines, unless its depth is refused. */
function toNote(event: SluiceEvent): JsonObject {
  const note = event.kind === 'notice' ? event.text : describe(event)
  const sluice = toCarried(event, payloads)
  return isDeeperThan(sluice, maxFrameDepth - 1) ? { note } : { note, sluice }
}
