import { countLineEnds, isLineEnd, isSpace } from './characters.ts'

/** The index after each empty line, or run of empty lines. */
export function paragraphCuts(text: string): readonly number[] {
  const cuts: number[] = []
  for (let start = 0; start < text.length; start++) {
    if (!isSpace(text.charCodeAt(start))) continue
    let end = start
    let cut = start
    for (; end < text.length && isSpace(text.charCodeAt(end)); end++) {
      if (isLineEnd(text.charCodeAt(end))) cut = end + 1
    }
    if (countLineEnds(text, start, cut) > 1) cuts.push(cut)
    start = end
  }
  return cuts
}
