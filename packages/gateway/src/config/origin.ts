import { toPointer } from './settings.ts'

/** Where a value came from. */
export interface Origin {
  readonly kind: 'flag' | 'variable' | 'file'
  /** The flag without its dashes, the variable, or the path of the file. */
  readonly name: string
}

/** An error in the configuration at one place. */
export interface Problem {
  readonly origin: Origin
  readonly path: readonly string[]
  /** Completes a sentence that starts with the place, such as `must be a whole number`. */
  readonly says: string
}

/** One sentence: the place, where its value came from, and the error. */
export function formatProblem({ origin, path, says }: Problem): string {
  const pointer = toPointer(path)
  if (origin.kind === 'file') return `${origin.name}: ${pointer === '' ? 'the file' : pointer} ${says}`
  const name = origin.kind === 'flag' ? `--${origin.name}` : origin.name
  return `the ${origin.kind} ${name}${pointer === '' ? '' : ` (${pointer})`} ${says}`
}
