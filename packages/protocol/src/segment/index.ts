export { type Boundary, boundaryAtEnd } from './boundary-at-end.ts'
export { countCodePoints } from './code-points.ts'
export { graphemeCut } from './grapheme-cut.ts'
export { createSegmenter, type SegmentUnit, type TextSegmenter } from './segmenter.ts'
