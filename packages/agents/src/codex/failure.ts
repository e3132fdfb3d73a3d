import type { ExitStatus } from '../process/spawn-group.ts'
import type { CheckedRequest } from '../request/checked-request.ts'
import { toMissingMessage } from './session.ts'

/**
 * A cause that the text of an error reveals. Reported in our own words, because the text could contain
 * anything.
 */
interface Cause {
  readonly words: RegExp
  readonly reason: string
}

const causes: readonly Cause[] = [
  { words: /\busage limit\b/i, reason: 'usage limit reached' },
  { words: /\bquota exceeded\b|insufficient_quota/i, reason: 'quota exceeded' },
  { words: /\bcontext window\b|context_length_exceeded/i, reason: 'context window exceeded' },
  { words: /\bnot logged in\b|\b(?:access|refresh) token\b/i, reason: 'not signed in' },
  { words: /\bat capacity\b|\bhigh demand\b|\boverloaded\b/i, reason: 'model at capacity' },
]
const status = /\b(?:last|unexpected) status:? (\d{3})\b/i
const connection =
  /\bstream disconnected\b|\bconnection (?:failed|reset|refused)\b|\berror sending request\b|\btimed? ?out\b/i
const model =
  /model_not_found|\bmodel\b[^.]*\b(?:is not supported|not found|does not exist)\b|\bunknown model\b|\binvalid model\b/i

/** The message of a run that fails with this error. `hasModel`: the run requested a model. */
export function toFailureMessage(error: string, { hasModel }: { readonly hasModel: boolean }): string {
  if (hasModel && model.test(error))
    return 'codex backend error: model rejected by runtime (details redacted)'
  const reason = toReason(error)
  return `codex backend error: turn failed${reason === undefined ? '' : ` (${reason})`}`
}

function toReason(error: string): string | undefined {
  const cause = causes.find(({ words }) => words.test(error))
  if (cause !== undefined) return cause.reason
  const [, code] = status.exec(error) ?? []
  if (code !== undefined) return `status=${code}`
  return connection.test(error) ? 'connection failed' : undefined
}

const retry = /^reconnecting(?:\.{3}|…) ?(?:(\d{1,3})\/(\d{1,3}))?/i

/**
 * The text for an error after which codex retries: the attempt and the cause. Undefined for any other error.
 */
export function toRetryText(error: string): string | undefined {
  const found = retry.exec(error)
  if (found === null) return undefined
  const [, attempt, most] = found
  const reason = toReason(error)
  return `api retry${attempt === undefined ? '' : ` ${attempt}/${most}`}${reason === undefined ? '' : ` (${reason})`}`
}

const missing =
  /^Error: (?:thread\/(?:resume|fork): .*no rollout found for (?:thread|conversation) id|Session not found: |No saved session found)/im
const unknownArgument = /^error: unexpected argument/im
const addDir = /^error: .*--add-dir/im

/** The failure that the standard error of codex shows beyond doubt. */
export function classify(stderr: string, request: CheckedRequest): string | undefined {
  const { resume, fork, addDirs } = request
  if ((resume ?? fork) !== undefined && missing.test(stderr)) return toMissingMessage(request)
  if (addDirs.length > 0 && addDir.test(stderr)) return 'add_dirs rejected by runtime'
  if (fork !== undefined && unknownArgument.test(stderr))
    return 'codex backend error: this codex cannot fork a session'
  return undefined
}

export function exitMessage({ code, signal }: ExitStatus): string {
  return `codex exited non-zero: ${signal === null ? `code=${code}` : `signal=${signal}`} (stderr redacted)`
}
