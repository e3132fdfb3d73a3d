import type { TextDelta } from '../../events.ts'
import { type Boundary, boundaryAtEnd } from '../../segment/boundary-at-end.ts'
import { countCodePoints } from '../../segment/code-points.ts'
import { graphemeCut } from '../../segment/grapheme-cut.ts'
import type { FrameBody } from './draft.ts'
import { isLanguage, toContentType, toName } from './names.ts'
import { isForeign, type OpenOutput, tailAfter } from './view.ts'
import { maxChunk } from './wire/vocabulary.ts'
import { coreTypeNamed } from './wire.ts'

const core = coreTypeNamed('agent.output.streaming')

/** A part of a text that fits into one chunk, with its place in the text in code points. */
export interface Chunk {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly isLast: boolean
}

/** Cuts a text into at least one chunk, between grapheme clusters. */
export function toChunks(text: string): readonly Chunk[] {
  if (text.length <= maxChunk) return [{ text, start: 0, end: countCodePoints(text), isLast: true }]
  const chunks: Chunk[] = []
  let rest = text
  let start = 0
  for (;;) {
    const at = graphemeCut(rest, maxChunk)
    const part = rest.slice(0, at)
    const end = start + countCodePoints(part)
    const isLast = at >= rest.length
    chunks.push({ text: part, start, end, isLast })
    if (isLast) return chunks
    rest = rest.slice(at)
    start = end
  }
}

/** What a chunk says besides its text. */
export interface ChunkSaid {
  /** The delta of which it is a part. */
  readonly delta?: TextDelta | undefined
  readonly isComplete: boolean
  readonly isInterrupted: boolean
  /** The text came in as AAEP. */
  readonly isNative: boolean
}

/** One chunk of an output; `open` is the output before the chunk. */
export function chunkBody(open: OpenOutput, chunk: Chunk, said: ChunkSaid): FrameBody {
  const { isComplete, isInterrupted } = said
  const { contentType, language } = said.delta ?? {}
  const bare = contentType === undefined ? undefined : toContentType(contentType)
  const tag = language !== undefined && isLanguage(language) ? language : undefined
  const hasOther = isForeign(open.output, open.take, open.id)
  const isCarried = hasOther || isInterrupted || bare !== contentType || tag !== language
  return {
    type: core.type,
    core,
    fields: {
      chunk: chunk.text,
      position: open.length,
      complete: isComplete,
      coalesce_hint: hintOf(open, chunk, said),
      output_id: open.id,
      content_type: bare,
      language: tag,
    },
    urgency: 'normal',
    hasText: chunk.text !== '',
    language: tag,
    carried: isCarried
      ? {
          output: hasOther ? toName(open.output) : undefined,
          take: open.take > 0 ? open.take : undefined,
          interrupted: isInterrupted ? true : undefined,
          contentType: bare === contentType ? undefined : contentType,
          language: tag === language ? undefined : language,
        }
      : undefined,
  }
}

/**
 * The boundary known at the end of the chunk. A frame that came in as AAEP keeps its producer's hint, or has
 * none.
 */
function hintOf(
  open: OpenOutput,
  chunk: Chunk,
  { delta, isComplete, isNative }: ChunkSaid,
): string | undefined {
  const given = chunk.isLast ? delta?.hint : undefined
  if (isNative) return given
  if (isComplete) return 'completion'
  if (given !== undefined && given !== 'completion') return given
  const language = delta?.language ?? delta?.meta?.localization?.['primary_language']
  return boundaryAfter(open, chunk.text, typeof language === 'string' ? language : undefined)
}

/** The boundary that the output's text proves after `text`. */
export function boundaryAfter(open: OpenOutput, text: string, language: string | undefined): Boundary {
  // Most chunks end within a word or with the space after one: earlier text does not matter then, so no tail
  // is cut.
  const last = text.charCodeAt(text.length - 1)
  if (isLatinLetter(last)) return 'none'
  if (last === 0x20 && isLatinLetter(text.charCodeAt(text.length - 2))) return 'word'
  return boundaryAtEnd(tailAfter(open, text), language)
}

function isLatinLetter(unit: number): boolean {
  const lower = unit | 0x20
  return lower >= 0x61 && lower <= 0x7a
}
