import { isJsonObject, type JsonObject, trimWhiteSpace } from '@sluice/protocol'
import type { Selector } from './checked-request.ts'
import { forkKey, resumeKey } from './extension-keys.ts'
import { boundName, compareNames, invalidRequest } from './refusal.ts'

/** The agent's own session that a request continues, from the extension of this name. */
export function readSelector(extensions: JsonObject, key: string): Selector | undefined {
  const value = extensions[key]
  if (value === undefined) return undefined
  if (!isJsonObject(value)) throw invalidRequest(`${key} must be an object`)
  const [unknown] = Object.keys(value)
    .filter((name) => name !== 'selector' && name !== 'id')
    .sort(compareNames)
  if (unknown !== undefined) throw invalidRequest(`${key} has unknown key: ${boundName(unknown)}`)
  const { selector, id } = value
  if (selector === undefined) throw invalidRequest(`${key}.selector is required`)
  if (typeof selector !== 'string') throw invalidRequest(`${key}.selector must be a string`)
  if (selector === 'last') {
    if (id !== undefined) throw invalidRequest(`${key}.id must be absent when selector is "last"`)
    return { selector }
  }
  if (selector !== 'id') throw invalidRequest(`${key}.selector must be one of: last | id`)
  if (id === undefined) throw invalidRequest(`${key}.id is required when selector is "id"`)
  if (typeof id !== 'string') throw invalidRequest(`${key}.id must be a string`)
  if (trimWhiteSpace(id) === '') throw invalidRequest(`${key}.id must be non-empty`)
  if (/\p{Cc}/u.test(id)) throw invalidRequest(`${key}.id must not have control characters`)
  // A program that trims would continue a different session from the one that was checked. trim() also
  // removes U+FEFF.
  if (trimWhiteSpace(id) !== id || id.trim() !== id)
    throw invalidRequest(`${key}.id must not begin or end with white space`)
  return { selector, id }
}

/** Refuses a request that both resumes a session and forks one. */
export function assertOneSelector(extensions: JsonObject): void {
  if (extensions[resumeKey] !== undefined && extensions[forkKey] !== undefined)
    throw invalidRequest(`${resumeKey} and ${forkKey} are mutually exclusive`)
}
