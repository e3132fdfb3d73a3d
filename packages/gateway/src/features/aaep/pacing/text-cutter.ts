import { createSegmenter, type SegmentUnit, type TextSegmenter } from '@sluice/protocol/segment'
import type { TextBoundary } from '../terms.ts'

/** Where held text can be cut, and which boundary that is. */
export interface TextCut {
  /** UTF-16 units; 0 if the text cannot be cut. */
  readonly characters: number
  readonly hint: TextBoundary
}

/** Text and its language, if known. */
interface SpokenText {
  readonly text: string
  readonly language: string | undefined
}

/** Held text, and the end of the text before it. */
export interface CutText extends SpokenText {
  readonly before: string
}

/** Finds the places where text may be cut. Keeps one segmenter per language. */
export interface TextCutter {
  /**
   * The last of `boundaries` within the first `most` characters of `text`, or else the first one after them. A boundary
   * counts once the text after it proves it.
   */
  atBoundary(text: CutText, boundaries: Boundaries, most: number): TextCut
  /** Whether there may be a boundary in `fresh`, the part of the text that was not examined. A quick test. */
  mayEnd(before: string, fresh: string, boundaries: Boundaries): boolean
  /** After the last word within the first `most` characters, where text is cut if it has no boundary. */
  atWord(text: CutText, boundaries: Boundaries, most: number): TextCut
  /** All of `text`, with the coarsest of `boundaries` that its end is known to be. */
  atEnd(text: CutText, boundaries: Boundaries): TextCut
}

type Boundaries = readonly TextBoundary[]

const levels: Boundaries = ['none', 'word', 'sentence', 'paragraph', 'completion']
const units = ['paragraph', 'sentence', 'word'] as const satisfies Boundaries

/** The finest of some boundaries. */
export function finestOf(boundaries: Boundaries): TextBoundary {
  return levels.find((level) => boundaries.includes(level)) ?? 'sentence'
}

/** Characters that may end a sentence in any script, and those that end a line. */
const enders = /[\p{Sentence_Terminal}\n\r\u0085\u2028\u2029]/u
/** Scripts whose sentences end at a space. */
const spaced = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

const nothing: TextCut = { characters: 0, hint: 'none' }
const maxLanguages = 64
/** How many segmented texts are cached, and how long each may be. */
const maxKept = 128
const maxKeptText = 4096
/** The end of a sentence is proven at most this many units after its last mark. */
export const edgeUnits = 16

export function createTextCutter(): TextCutter {
  const segmenters = new Map<string, TextSegmenter>()
  const kept = new Map<string, readonly string[]>()

  const segmenterOf = (language: string | undefined): TextSegmenter => {
    const key = language ?? ''
    const known = segmenters.get(key)
    if (known !== undefined) return known
    if (segmenters.size >= maxLanguages) segmenters.clear()
    const made = createSegmenter(language)
    segmenters.set(key, made)
    return made
  }

  /** Cached, because subscriptions with similar terms hold the same text at the same time. */
  const split = (text: string, unit: SegmentUnit, language: string | undefined): readonly string[] => {
    if (text.length > maxKeptText) return segmenterOf(language).split(text, unit)
    const key = `${unit} ${language ?? ''} ${text}`
    const known = kept.get(key)
    if (known !== undefined) return known
    if (kept.size >= maxKept) kept.clear()
    const segments = segmenterOf(language).split(text, unit)
    kept.set(key, segments)
    return segments
  }

  const isCut = ({ text, language }: SpokenText, end: number, unit: SegmentUnit): boolean => {
    if (isAtLeast(segmenterOf(language).boundaryAtEnd(text.slice(0, end)), unit)) return true
    let at = 0
    for (const segment of split(text, unit, language)) {
      at += segment.length
      if (at >= end) return at === end && end < text.length
    }
    return false
  }

  const hintAt = ({ text, language }: SpokenText, end: number, boundaries: Boundaries): TextBoundary =>
    units.find((unit) => boundaries.includes(unit) && isCut({ text, language }, end, unit)) ?? 'none'

  /** The cut at `end` of the whole text, whose first `start` units are not held. */
  const cutAt = (
    whole: SpokenText,
    { start, end }: { readonly start: number; readonly end: number },
    boundaries: Boundaries,
  ): TextCut => (end <= start ? nothing : { characters: end - start, hint: hintAt(whole, end, boundaries) })

  return {
    atBoundary({ before, text, language }, boundaries, most) {
      const finest = finestOf(boundaries)
      if (finest === 'completion') return nothing
      const segmenter = segmenterOf(language)
      // Held text may be long: only as much is segmented as is needed to find a boundary and to prove it.
      for (let size = 2 * most; ; size *= 2) {
        const part = finest === 'none' ? text : firstOf(text, size)
        const all = before + part
        const isAll =
          finest === 'none' || (text.length <= most && isAtLeast(segmenter.boundaryAtEnd(all), finest))
        const end = isAll ? all.length : lastCut(split(all, finest, language), before.length, most)
        if (end > before.length || part === text)
          return cutAt({ text: all, language }, { start: before.length, end }, boundaries)
      }
    },
    // Most pieces of text end nothing, and segmenting costs as much as encoding.
    mayEnd(before, fresh, boundaries) {
      if (finestOf(boundaries) !== 'sentence') return true
      return enders.test(fresh) || enders.test(before.slice(-edgeUnits)) || spaced.test(fresh)
    },
    atWord({ before, text, language }, boundaries, most) {
      const segmenter = segmenterOf(language)
      const part = firstOf(text, most)
      const all = before + part
      const isWhole = isAtLeast(segmenter.boundaryAtEnd(all), 'word')
      const end = isWhole ? all.length : lastCut(split(all, 'word', language), before.length, part.length)
      return cutAt(
        { text: all, language },
        { start: before.length, end: end > before.length ? end : all.length },
        boundaries,
      )
    },
    atEnd({ before, text, language }, boundaries) {
      // Text far before the end does not affect which boundary the end is.
      const all = (before + text).slice(-maxKeptText)
      return { characters: text.length, hint: hintAt({ text: all, language }, all.length, boundaries) }
    },
  }
}

/** The first `most` units of a text, never ending inside a surrogate pair. */
function firstOf(text: string, most: number): string {
  if (text.length <= most) return text
  const code = text.charCodeAt(most - 1)
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? most + 1 : most)
}

function isAtLeast(known: TextBoundary, wanted: TextBoundary): boolean {
  return levels.indexOf(known) >= levels.indexOf(wanted)
}

/** The end of the last final segment that ends within `most` units after `start`, or of the first one after that. */
function lastCut(segments: readonly string[], start: number, most: number): number {
  let end = 0
  let best = 0
  for (const segment of segments.slice(0, -1)) {
    end += segment.length
    if (end <= start) continue
    if (best > 0 && end > start + most) break
    best = end
  }
  return best
}
