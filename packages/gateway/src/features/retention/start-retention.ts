import { omitUndefined, type Timer } from '@sluice/protocol'
import type { Kernel } from '../../kernel/kernel.ts'
import { createCautiousTime } from './cautious-time.ts'

const intervalMs = 60_000
/** Until a clock that was set forward removes sessions. */
const maxDelayMs = 3_600_000

/**
 * Removes ended sessions by the configured rule, at intervals. Returns the function that stops this. Off
 * without a rule.
 */
export function startRetention(kernel: Kernel): () => void {
  const { maxAgeMs, maxBytes } = kernel.config.retention
  if (maxAgeMs === undefined && maxBytes === undefined) return () => {}
  const now = createCautiousTime(kernel.clock, Math.min(maxAgeMs ?? 0, maxDelayMs))
  let timer: Timer
  let isStopped = false
  const run = async (): Promise<void> => {
    const rule = omitUndefined({
      endedBefore: maxAgeMs === undefined ? undefined : now() - maxAgeMs,
      maxBytes,
    })
    try {
      const removed = await kernel.directory.retire(rule)
      if (removed > 0) kernel.logger.info({ count: removed }, 'ended sessions were removed')
    } catch (error) {
      kernel.logger.error({ err: error }, 'retention failed')
    }
    schedule()
  }
  const schedule = (): void => {
    if (!isStopped) timer = kernel.clock.after(intervalMs, () => void run())
  }
  schedule()
  return () => {
    isStopped = true
    timer.clear()
  }
}
