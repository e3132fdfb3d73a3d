import { omitUndefined } from '@sluice/protocol'
/** The place of a request in a distributed trace, from the headers of W3C Trace Context. */
export interface TraceContext {
  /** In the form of version 00. */
  readonly traceparent: string
  readonly tracestate?: string
}

// Trace Context §3.2: version, trace-id, parent-id, flags, all in lower case; later versions may add a suffix.
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
// §3.3.1: a key, `=`, and printable characters without comma and equals sign that do not end with a space.
const MEMBER =
  /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/
const MAX_MEMBERS = 32 // §3.3.1.1
const MAX_STATE_LENGTH = 512 // §3.3.1.5: at least this much must be kept; longer ones are dropped
const MAX_PARENT_LENGTH = 256

/**
 * Reads the headers `traceparent` and `tracestate`. Malformed headers are ignored: without a valid
 * `traceparent` the result is undefined, and a `tracestate` that is invalid or longer than 512 characters is
 * left out.
 */
export function parseTraceContext(
  traceparent: string | undefined,
  tracestate: string | undefined,
): TraceContext | undefined {
  if (traceparent === undefined || traceparent.length > MAX_PARENT_LENGTH) return undefined
  const [, version, trace = '', parent = '', flags = '', suffix] = TRACEPARENT.exec(traceparent.trim()) ?? []
  if (version === undefined || version === 'ff' || /^0+$/.test(trace) || /^0+$/.test(parent)) return undefined
  if (version === '00' && suffix !== undefined) return undefined
  // §4.3: of later versions, only the sampled flag is understood.
  const kept = version === '00' ? flags : `0${Number.parseInt(flags, 16) & 1}`
  const state = tracestate === undefined ? undefined : parseTracestate(tracestate)
  return omitUndefined({
    traceparent: `00-${trace}-${parent}-${kept}`,
    tracestate: state,
  })
}

/** The members without white space around them and without empty ones; undefined when they are invalid. */
function parseTracestate(text: string): string | undefined {
  if (text.length > MAX_STATE_LENGTH) return undefined
  const members = text
    .split(',')
    .map((member) => member.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, ''))
    .filter((member) => member !== '')
  const keys = new Set(members.map((member) => member.split('=', 1)[0]))
  const isValid =
    members.length > 0 &&
    members.length <= MAX_MEMBERS &&
    keys.size === members.length &&
    members.every((member) => MEMBER.test(member))
  return isValid ? members.join(',') : undefined
}
