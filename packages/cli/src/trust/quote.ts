import type { JsonValue } from '@sluice/protocol'
import { toCountedLine } from '../safe-text.ts'

const maxNames = 20

/** A value of a configuration on one line, with the number of characters that were cut. */
export function quote(value: JsonValue | undefined, maxLength = 500): string {
  return toCountedLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'), maxLength)
}

/** Some names on one line, with the number of names that are left out. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).map((name) => quote(name, 100))
  const leftOut = names.length - shown.length
  return leftOut > 0 ? `${shown.join(', ')} and ${leftOut} more` : shown.join(', ')
}
