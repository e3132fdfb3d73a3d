import { encodeSse } from '@sluice/protocol'
import type { Backend } from '../backend.ts'

/** Readers come back spread over this time, not all at once. */
const comeBackMs = 2000

/** Lets every stream over HTTP go: it is reset, so that its reader comes back with its cursor. */
export function drainStreams(backend: Backend): void {
  const retryMs = (): number => Math.round(500 + Math.random() * comeBackMs)
  for (const stream of [...backend.kernel.subscribers.streams()]) stream.drain(retryMs())
  for (const drain of [...backend.listStreams]) drain(retryMs())
}

/** What tells an EventSource when to come back. */
export function formatRetry(retryMs: number): string {
  return encodeSse({ retry: retryMs, data: '' }).replace('data: \n', '')
}
