import type { Clock } from '@sluice/protocol'
import { watchInterrupts } from './watch-interrupts.ts'

/** A request to stop by a signal. */
export interface Shutdown {
  /** Resolves at the first signal. */
  readonly asked: Promise<NodeJS.Signals>
  /** Stops listening for signals. */
  release(): void
}

/** Waits for a signal to stop; a second signal ends the process immediately. */
export function waitForShutdown(clock: Clock): Shutdown {
  let answer: (signal: NodeJS.Signals) => void = () => {}
  const asked = new Promise<NodeJS.Signals>((resolve) => {
    answer = resolve
  })
  const interrupts = watchInterrupts({ onFirst: answer, onSecond: () => process.exit(1) }, clock)
  return { asked, release: interrupts.release }
}
