import { encodeSse } from '@sluice/protocol'
import type { Backend } from '../backend.ts'

/** Readers reconnect spread over this time, not all at once. */
const comeBackMs = 2000

/** Resets every stream over HTTP, so that its reader reconnects with its cursor. */
export function drainStreams(backend: Backend): void {
  const retryMs = (): number => Math.round(500 + Math.random() * comeBackMs)
  for (const stream of [...backend.kernel.subscribers.streams()]) stream.drain(retryMs())
  for (const drain of [...backend.listStreams]) drain(retryMs())
}

/** The message that makes an EventSource reconnect after `retryMs`. */
export function formatRetry(retryMs: number): string {
  return encodeSse({ retry: retryMs, data: '' }).replace('data: \n', '')
}
