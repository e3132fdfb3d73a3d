import type { Timer } from '@sluice/protocol'
import type { Gate } from '../gate.ts'

const intervalMs = 60_000

/** Removes ended sessions by the configured rule, now and then. Answers how to stop. Off without a rule. */
export function startRetention(gate: Gate): () => void {
  const { maxAgeMs, maxBytes } = gate.config.retention
  if (maxAgeMs === undefined && maxBytes === undefined) return () => {}
  let timer: Timer
  let isStopped = false
  const run = async (): Promise<void> => {
    const rule = {
      ...(maxAgeMs === undefined ? {} : { endedBefore: gate.clock.now() - maxAgeMs }),
      ...(maxBytes === undefined ? {} : { maxBytes }),
    }
    try {
      const removed = await gate.directory.retire(rule)
      if (removed > 0) gate.logger.info({ count: removed }, 'ended sessions were removed')
    } catch (error) {
      gate.logger.error({ err: error }, 'retention failed')
    }
    schedule()
  }
  const schedule = (): void => {
    if (!isStopped) timer = gate.clock.after(intervalMs, () => void run())
  }
  schedule()
  return () => {
    isStopped = true
    timer.clear()
  }
}
