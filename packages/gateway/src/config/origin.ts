import { toPointer } from './settings.ts'

/** Where a value came from. */
export interface Origin {
  readonly kind: 'flag' | 'variable' | 'file'
  /** The flag without its dashes, the variable, or the path of the file. */
  readonly name: string
}

/** What is wrong with the configuration at one place. */
export interface Problem {
  readonly origin: Origin
  readonly path: readonly string[]
  /** Completes a sentence that begins with the place, such as `must be a whole number`. */
  readonly says: string
}

/** One sentence: the place, where it came from, and what is wrong there. */
export function formatProblem({ origin, path, says }: Problem): string {
  const pointer = toPointer(path)
  if (origin.kind === 'file') return `${origin.name}: ${pointer === '' ? 'the file' : pointer} ${says}`
  const name = origin.kind === 'flag' ? `--${origin.name}` : origin.name
  return `the ${origin.kind} ${name}${pointer === '' ? '' : ` (${pointer})`} ${says}`
}
