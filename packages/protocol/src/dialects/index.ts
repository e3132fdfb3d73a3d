import type { Dialect } from '../dialect.ts'
import { SluiceError } from '../error.ts'
import type { JsonValue } from '../json.ts'
import { sluice } from './sluice/index.ts'

/** Every dialect, in the order in which a frame is offered to them when its dialect is not known. */
export const dialects: readonly Dialect[] = [sluice]

/** The dialect of this id, or the error `unknown_dialect`. */
export function dialectById(id: string): Dialect {
  const dialect = dialects.find((candidate) => candidate.id === id)
  if (dialect === undefined)
    throw new SluiceError('unknown_dialect', { details: { known: dialects.map((d) => d.id).join(', ') } })
  return dialect
}

/** The dialect that a frame looks like, if any. */
export function detectDialect(value: JsonValue): Dialect | undefined {
  return dialects.find((dialect) => dialect.recognizes(value))
}

export {
  type Converted,
  type Converter,
  type ConvertOptions,
  convertRules,
  createConverter,
} from '../convert.ts'
export { isSessionId, toSessionId } from '../session-id.ts'
