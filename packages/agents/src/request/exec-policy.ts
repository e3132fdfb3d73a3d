import type { JsonObject } from '@sluice/protocol'
import { assertWithin, type Ceiling } from './ceiling.ts'
import { externalSandboxKey, nonInteractiveKey } from './extension-keys.ts'
import { invalidRequest } from './refusal.ts'

/** How free the agent's program is. */
export interface ExecPolicy {
  readonly nonInteractive: boolean
  readonly externalSandbox: boolean
}

/** The first warning of a run without the protections of its program. */
export const externalSandboxWarning = `DANGEROUS: external sandbox exec policy enabled (${externalSandboxKey}=true)`

/**
 * Reads the two switches, and refuses what conflicts with an external sandbox. Only the operator knows
 * whether there is one, so no permissions include it.
 */
export function readExecPolicy(
  extensions: JsonObject,
  { kind, ceiling }: { readonly kind: string; readonly ceiling: Ceiling },
): ExecPolicy {
  const nonInteractive = readBoolean(extensions, nonInteractiveKey) ?? true
  const externalSandbox = readBoolean(extensions, externalSandboxKey) ?? false
  if (externalSandbox && !nonInteractive)
    throw invalidRequest(`${externalSandboxKey}=true must not be combined with ${nonInteractiveKey}=false`)
  const own = `backend.${kind}.exec.`
  if (externalSandbox && Object.keys(extensions).some((key) => key.startsWith(own)))
    throw invalidRequest(`${externalSandboxKey}=true must not be combined with ${own}* keys`)
  if (externalSandbox) assertWithin(ceiling, { key: externalSandboxKey, needs: undefined, most: 'false' })
  return { nonInteractive, externalSandbox }
}

/** The value of this extension, which must be one of these words; undefined if it is absent. */
export function readWord<Word extends string>(
  extensions: JsonObject,
  key: string,
  words: readonly Word[],
): Word | undefined {
  const value = extensions[key]
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw invalidRequest(`${key} must be a string`)
  const word = words.find((each) => each === value)
  if (word === undefined) throw invalidRequest(`${key} must be one of: ${words.join(' | ')}`)
  return word
}

function readBoolean(extensions: JsonObject, key: string): boolean | undefined {
  const value = extensions[key]
  if (value !== undefined && typeof value !== 'boolean') throw invalidRequest(`${key} must be a boolean`)
  return value
}
