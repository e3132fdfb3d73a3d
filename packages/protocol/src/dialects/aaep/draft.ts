import type { Entry } from '../../entry.ts'
import type { Meta, SluiceEvent } from '../../events.ts'
import type { JsonObject } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { aaepId } from './names.ts'
import { guessAgent, isSameAgent } from './producer.ts'
import type { Spoken } from './sentences.ts'
import { timestampOf } from './timestamp.ts'
import type { AaepView } from './view.ts'
import type { WireProducer } from './wire/envelope.ts'
import type { CoreType } from './wire.ts'

/** What a frame says, before it has an id. */
export interface FrameBody {
  readonly type: string
  /** Undefined for the type of an extension. */
  readonly core?: CoreType | undefined
  readonly fields: JsonObject
  /** Data that AAEP has no field for. */
  readonly carried?: JsonObject | undefined
  readonly urgency?: Meta['urgency']
  /** The event in our words, used if its producer has no words for it. */
  readonly spoken?: Spoken | undefined
  /** False if no field holds text for people, or only text in our words. */
  readonly hasText: boolean
  /** The language of that text, if it is known. */
  readonly language?: string | undefined
}

/** A frame with all that was known at the moment of its event. */
export interface FrameDraft {
  readonly body: FrameBody
  /** What the body carries, with the parts of `meta` that AAEP has no field for. */
  readonly carried: JsonObject | undefined
  readonly session: string
  readonly mint: string
  readonly meta: Meta | undefined
  /** The frame came in as AAEP: nothing is added to its producer's words. */
  readonly isNative: boolean
  /** The frame is the whole entry, so it may take the entry's own id. */
  isWhole: boolean
  readonly timestamp: string
  readonly producer: WireProducer
}

/** The moment at which an event is written. */
export interface Moment {
  readonly entry: Entry
  /** The view before the event. */
  readonly before: AaepView
  /** The same with the event's agent and time. */
  readonly view: AaepView
}

/** Puts a body at the moment of its event. */
export function toDraft(moment: Moment, body: FrameBody, { meta }: SluiceEvent): FrameDraft {
  const { entry, view } = moment
  return {
    body,
    carried: carriedMeta(moment, body, meta),
    session: view.session,
    mint: view.mint,
    meta,
    isNative: entry.source.dialect === aaepId && meta?.implied !== true,
    isWhole: false,
    timestamp: timestampOf(meta?.at, view.at, view.minute),
    producer: view.producer,
  }
}

/** The parts of `meta` that AAEP has no field for, with those of the body. */
function carriedMeta(
  { before, view }: Moment,
  body: FrameBody,
  meta: Meta | undefined,
): JsonObject | undefined {
  if (meta === undefined) return body.carried
  const { agent, parent, channel, summaries } = meta
  const isGuessed =
    agent === undefined ||
    (before.agent !== undefined && isSameAgent(before.agent, agent)) ||
    isSameAgent(guessAgent(view.producer, before.agent), agent)
  const isCarried = summaries !== undefined && body.core?.hasSummaries !== true
  if (isGuessed && parent === undefined && channel === undefined && !isCarried) return body.carried
  return {
    ...body.carried,
    ...omitUndefined({
      agent: isGuessed ? undefined : (agent as JsonObject),
      parent,
      channel,
      summaries: isCarried ? (summaries as JsonObject) : undefined,
    }),
  }
}
