import type { TextDelta } from '../../events.ts'
import type { Draft } from '../../frames.ts'
import type { JsonObject } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { countCodePoints } from '../../segment/code-points.ts'
import { stringifyWellFormed } from '../../well-formed-json.ts'
import { boundData, exceedsUtf8, maxTextBytes, splitUtf8, truncateUtf8 } from './bounds.ts'
import { answerOutput, reasoningOutput } from './decode-text.ts'
import type { Kept } from './kept.ts'
import { channelOf, type OutValue, type Surroundings } from './out-value.ts'
import { toOutputName } from './wire-names.ts'

/** The frames of a piece of text: several if it is over its bound. */
export function encodeText(
  { view, isOwn, kept }: Surroundings,
  event: TextDelta,
): readonly Draft<OutValue>[] {
  // An empty text matters only where a text begins: it keeps outputs and their takes in order.
  if (event.text === '' && !isOwn && event.position > 0) return []
  const isOrdinary = isOwn && event.meta?.implied !== true
  const channel = isOrdinary ? event.meta?.channel : channelNameOf(event)
  const data = isOrdinary ? boundKept(kept) : labelOf(event)
  const frame = (text: string): OutValue => ({
    agent_kind: view.agentKind,
    kind: 'TextOutput',
    ...channelOf(channel),
    text,
    ...omitUndefined({ data }),
    ...kept.fields,
  })
  const pieces = splitUtf8(event.text, maxTextBytes)
  let points = 0
  const drafts: Draft<OutValue>[] = pieces.slice(0, -1).map((piece) => {
    points += countCodePoints(piece)
    return { value: frame(piece), events: 0, points }
  })
  return [...drafts, { value: frame(pieces[pieces.length - 1] ?? ''), events: 1 }]
}

/** A piece of text that fits into one frame and needs only its channel and its output. */
export function isUsualChunk({ text, contentType, language }: TextDelta): boolean {
  return (
    text !== '' && contentType === undefined && language === undefined && !exceedsUtf8(text, maxTextBytes)
  )
}

export function channelNameOf({ channel }: TextDelta): 'assistant' | 'thinking' {
  return channel === 'answer' ? 'assistant' : 'thinking'
}

/** The label of a usual chunk, as the members that follow the text in its frame. */
export function labelJson(event: TextDelta): string {
  const data = labelOf(event)
  return data === undefined ? '' : `,"data":${stringifyWellFormed(data)}`
}

function boundKept({ data }: Kept): OutValue[string] {
  return data === undefined ? undefined : boundData(data)
}

/** What the channel does not say about a text: its output, if that is not the usual one, and its form. */
function labelOf({ output, channel, contentType, language }: TextDelta): JsonObject | undefined {
  const isUsual = output === (channel === 'answer' ? answerOutput : reasoningOutput)
  if (isUsual && contentType === undefined && language === undefined) return undefined
  return {
    sluice: {
      ...(isUsual ? {} : { output: toOutputName(output) }),
      ...omitUndefined({
        contentType: contentType === undefined ? undefined : truncateUtf8(contentType, maxLabelBytes),
        language: language === undefined ? undefined : truncateUtf8(language, maxLabelBytes),
      }),
    },
  }
}

// Three such names certainly keep the data within its bound.
const maxLabelBytes = 1024
