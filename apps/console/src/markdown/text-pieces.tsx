import { allPieces, type Pieces } from './blocks/pieces.ts'

/** Lines of text. Of a long text the browser lays out only what is near to what is seen. */
export function TextPieces({ pieces }: { readonly pieces: Pieces }) {
  return allPieces(pieces).map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces only change at the end.
    <span key={index} className={index < pieces.sealed.length ? 'md-piece' : undefined}>
      {/* A piece that is sealed is a block: its first line is a new one already. */}
      {index === 0 ? piece : piece.slice(1)}
    </span>
  ))
}
