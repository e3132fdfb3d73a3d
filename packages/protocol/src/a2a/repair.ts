import type { Finding } from '../finding.ts'

const ids = /\/(?:kind|id|taskId|contextId|artifactId|messageId|final)$/

/**
 * True for what a frame may lack and still mean the same: ids that the stream has told before, and lists without items.
 * The examples of the stream_delta profile leave out such fields.
 */
export function isRepairable({ code, path }: Finding): boolean {
  if (code === 'too_few_items') return true
  return (code === 'missing_field' || code === 'too_short') && ids.test(path)
}
