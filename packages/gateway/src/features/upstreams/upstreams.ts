import type { Kernel } from '../../kernel/kernel.ts'
import { followUpstream } from './follow-upstream.ts'

/** The remote producers that a gateway follows (docs/aaep.md, Upstreams). */
export interface Upstreams {
  start(): Promise<void>
  stop(): Promise<void>
  /** How many are being read, and how many are not. */
  count(): { readonly connected: number; readonly waiting: number }
}

export function createUpstreams(kernel: Kernel): Upstreams {
  const upstreams = kernel.config.aaep.upstreams.map((config) => followUpstream(kernel, config))
  for (const upstream of upstreams) kernel.onCommit(upstream.committed)
  return {
    async start() {
      for (const upstream of upstreams) await upstream.start()
    },
    async stop() {
      await Promise.all(upstreams.map((upstream) => upstream.stop()))
    },
    count() {
      const connected = upstreams.filter(({ isConnected }) => isConnected).length
      return { connected, waiting: upstreams.length - connected }
    },
  }
}
