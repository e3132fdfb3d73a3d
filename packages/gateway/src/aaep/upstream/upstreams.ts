import type { Entry } from '@sluice/protocol'
import type { Gate } from '../../gate.ts'
import { followUpstream } from './follow-upstream.ts'

/** The producers elsewhere that a gateway follows (docs/aaep.md, Upstreams). */
export interface Upstreams {
  start(): Promise<void>
  stop(): Promise<void>
  /** What has become durable in a session. */
  committed(session: string, entries: readonly Entry[]): void
  /** How many are being read, and how many are not. */
  count(): { readonly connected: number; readonly waiting: number }
}

export function createUpstreams(gate: Gate): Upstreams {
  const upstreams = gate.config.aaep.upstreams.map((config) => followUpstream(gate, config))
  return {
    async start() {
      for (const upstream of upstreams) await upstream.start()
    },
    async stop() {
      await Promise.all(upstreams.map((upstream) => upstream.stop()))
    },
    committed(session, entries) {
      for (const upstream of upstreams) upstream.committed(session, entries)
    },
    count() {
      const connected = upstreams.filter(({ isConnected }) => isConnected).length
      return { connected, waiting: upstreams.length - connected }
    },
  }
}
