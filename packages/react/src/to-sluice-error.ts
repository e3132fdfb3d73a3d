import { SluiceError } from '@sluice/protocol'

/** Converts a thrown value to an error with a code. Checks the name, as a page may load the class twice. */
export function toSluiceError(thrown: unknown): SluiceError {
  const isOurs = thrown instanceof Error && thrown.name === 'SluiceError'
  return isOurs ? (thrown as SluiceError) : new SluiceError('internal', { cause: thrown }) // by its name
}
