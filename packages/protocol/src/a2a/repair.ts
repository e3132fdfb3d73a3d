import type { Finding } from '../finding.ts'

const ids = /\/(?:kind|id|taskId|contextId|artifactId|messageId|final)$/

/**
 * True for a finding about what a frame may omit without changing its meaning: ids that the stream gave
 * before, and empty lists. The examples of the stream_delta profile omit such fields.
 */
export function isRepairable({ code, path }: Finding): boolean {
  if (code === 'too_few_items') return true
  return (code === 'missing_field' || code === 'too_short') && ids.test(path)
}
