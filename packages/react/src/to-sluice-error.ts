import { SluiceError } from '@sluice/protocol'

/** What was thrown, as an error with a code. It is told by its name: a page may hold the class twice. */
export function toSluiceError(thrown: unknown): SluiceError {
  const isOurs = thrown instanceof Error && thrown.name === 'SluiceError'
  return isOurs ? (thrown as SluiceError) : new SluiceError('internal', { cause: thrown }) // by its name
}
