/** Lines of text that grow at their end; sealed strings stay the same. */
export interface Pieces {
  readonly sealed: readonly string[]
  readonly open: string
  readonly lines: number
  readonly length: number
}

const pieceLength = 8192

export const noPieces: Pieces = { sealed: [], open: '', lines: 0, length: 0 }

/** `pieces` with one more line. */
export function addLine(pieces: Pieces, line: string): Pieces {
  const added = pieces.lines === 0 ? line : `\n${line}`
  const open = pieces.open + added
  const length = pieces.length + added.length
  const lines = pieces.lines + 1
  if (open.length < pieceLength) return { sealed: pieces.sealed, open, lines, length }
  return { sealed: [...pieces.sealed, open], open: '', lines, length }
}

/** All strings of `pieces`, in order. */
export function allPieces({ sealed, open }: Pieces): readonly string[] {
  return open === '' ? sealed : [...sealed, open]
}

export function joinPieces({ sealed, open }: Pieces): string {
  return sealed.join('') + open
}
