/** The signals that ask a process to stop, and what the first of them was. */
export interface Shutdown {
  /** Resolves at the first signal. */
  readonly asked: Promise<NodeJS.Signals>
  /** Stops listening for signals. */
  release(): void
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Ctrl-C under npx arrives twice within a moment, from the terminal and from npm, which passes it on: what follows the
 * first signal so closely is not a second one.
 */
const echoMs = 500

/** Waits for a signal to stop; a second one ends the process at once. */
export function waitForShutdown(now: () => number = () => performance.now()): Shutdown {
  let firstAt: number | undefined
  let answer: (signal: NodeJS.Signals) => void = () => {}
  const asked = new Promise<NodeJS.Signals>((resolve) => {
    answer = resolve
  })
  const onSignal = (signal: NodeJS.Signals): void => {
    if (firstAt === undefined) {
      firstAt = now()
      answer(signal)
    } else if (now() - firstAt > echoMs) process.exit(1)
  }
  for (const signal of signals) process.on(signal, onSignal)
  return {
    asked,
    release() {
      for (const signal of signals) process.off(signal, onSignal)
    },
  }
}
