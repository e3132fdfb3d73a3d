import { toApiReason } from '../cli/api-reason.ts'
import type { CheckedRequest } from '../request/checked-request.ts'

const failure = (what: string): string => `opencode backend error: ${what}`

/** The failure of a run if nothing else is known. */
export const runFailure = 'opencode run failed'
export const contentFiltered = failure('stopped by the content filter')
export const permissionRefused = failure('permission refused')
export const contextExceeded = failure('context limit exceeded')

const byName: ReadonlyMap<string, string> = new Map([
  ['ProviderAuthError', failure('authentication failed')],
  ['ProviderModelNotFoundError', failure('model rejected by runtime (details redacted)')],
  ['MessageOutputLengthError', failure('output limit exceeded')],
  ['MessageAbortedError', failure('interrupted')],
  ['ContextOverflowError', contextExceeded],
  ['ContentFilterError', contentFiltered],
  ['StructuredOutputError', failure('invalid response of the model')],
])

/** The failure for an error, by its name, or by its HTTP status if the API of a model failed. */
export function toFailure(name: string, status: number | undefined): string {
  return name === 'APIError' ? failure(toApiReason(status)) : (byName.get(name) ?? runFailure)
}

/** OpenCode reports a session that does not exist only on standard error. */
export function classify(stderr: string, { resume, fork }: CheckedRequest): string | undefined {
  if (resume === undefined && fork === undefined) return undefined
  // biome-ignore lint/suspicious/noControlCharactersInRegex: its standard error is coloured, even in a pipe.
  const plain = stderr.replace(/\x1b\[[0-9;]*m/g, '')
  return /^(?:Error: )?Session not found\s*$/m.test(plain) ? 'session not found' : undefined
}
