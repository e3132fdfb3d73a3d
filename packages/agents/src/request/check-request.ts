import { resolve } from 'node:path'
import { addDirsKey, type RunRequest, trimWhiteSpace } from '@sluice/protocol'
import { lowestCeiling } from './ceiling.ts'
import type { CheckedRequest, RunDefaults } from './checked-request.ts'
import { readModel } from './model.ts'
import { compareNames, invalidRequest, unsupportedCapability } from './refusal.ts'
import { type RequestPolicy, usualPolicy } from './request-policy.ts'

/** What an agent accepts. */
export interface RequestRules {
  readonly kind: string
  /** The names of its extensions; each is also one of its capabilities. */
  readonly extensions: readonly string[]
  /** How it reads their values. Default `usualPolicy`. */
  readonly policy?: RequestPolicy
}

/** The longest delay of a timer in Node, about 24 days. */
const maxTimeoutMs = 2_147_483_647

/**
 * Checks a request before anything starts: the prompt, the names of extensions, the model, what the agent's
 * own policy reads, the time. Throws the first error: `invalid_run`, `unsupported_capability`,
 * `run_not_permitted` if the request exceeds the configuration, or `run_failed` if the agent cannot combine
 * the values. No message contains a value of the request.
 */
export function checkRequest(
  request: RunRequest,
  rules: RequestRules,
  defaults: RunDefaults,
): CheckedRequest {
  const { prompt, extensions = {}, addDirs } = request
  const { kind, policy = usualPolicy } = rules
  if (trimWhiteSpace(prompt) === '') throw invalidRequest('prompt must not be empty')
  const keys = [...Object.keys(extensions), ...(addDirs === undefined ? [] : [addDirsKey])]
  const [unsupported] = keys.filter((key) => !rules.extensions.includes(key)).sort(compareNames)
  if (unsupported !== undefined) throw unsupportedCapability(kind, unsupported)
  const asked = readModel(extensions)
  // Resolves a relative directory before the process changes its own. A real path stays unchanged.
  const cwd = resolve(request.workingDir ?? defaults.cwd)
  const { ceiling = lowestCeiling } = defaults
  const values = policy({ kind, extensions, addDirs, cwd, model: asked, ceiling })
  return {
    prompt,
    cwd,
    timeoutMs: toTimeout(request.timeoutMs, defaults.timeoutMs),
    env: { ...defaults.env, ...request.env },
    model: asked ?? defaults.model,
    ...values,
  }
}

/** The configured time is the maximum; a request may ask for less. */
function toTimeout(asked = 0, longest = 0): number | undefined {
  if (!Number.isSafeInteger(asked) || asked < 0)
    throw invalidRequest('timeoutMs must be a whole number of milliseconds')
  const limits = [asked, longest].filter((ms) => ms !== 0)
  return limits.length === 0 ? undefined : Math.min(...limits, maxTimeoutMs)
}
