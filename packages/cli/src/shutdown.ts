import { watchInterrupts } from './watch-interrupts.ts'

/** The signals that ask a process to stop, and what the first of them was. */
export interface Shutdown {
  /** Resolves at the first signal. */
  readonly asked: Promise<NodeJS.Signals>
  /** Stops listening for signals. */
  release(): void
}

/** Waits for a signal to stop; a second one ends the process at once. */
export function waitForShutdown(now?: () => number): Shutdown {
  let answer: (signal: NodeJS.Signals) => void = () => {}
  const asked = new Promise<NodeJS.Signals>((resolve) => {
    answer = resolve
  })
  const interrupts = watchInterrupts({ onFirst: answer, onSecond: () => process.exit(1) }, now)
  return { asked, release: interrupts.release }
}
