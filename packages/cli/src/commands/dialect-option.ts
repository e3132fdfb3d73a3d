import { type Dialect, nearestName, SluiceError } from '@sluice/protocol'
import { dialectById, dialects } from '@sluice/protocol/dialects'

/** The dialect of this name; undefined for `auto`. Throws `unknown_dialect` with the nearest name. */
export function readDialect(id: string): Dialect | undefined {
  if (id === 'auto') return undefined
  const names = dialects.map((dialect) => dialect.id)
  if (names.includes(id)) return dialectById(id)
  const near = nearestName(id, names)
  const hint = near === undefined ? `It is one of ${names.join(', ')}.` : `Did you mean ${near}?`
  throw new SluiceError('unknown_dialect', { message: `No dialect has this name. ${hint}` })
}
