import { allPieces, type Pieces } from './blocks/pieces.ts'

/** Lines of text. In a long text, the browser lays out only what is near the visible part. */
export function TextPieces({ pieces }: { readonly pieces: Pieces }) {
  return allPieces(pieces).map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces change only at the end.
    <span key={index} className={index < pieces.sealed.length ? 'md-piece' : undefined}>
      {/* The piece before is a block, which already breaks the line. */}
      {index === 0 ? piece : piece.slice(1)}
    </span>
  ))
}
