const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Ctrl-C under npx arrives twice within a moment, from the terminal and from npm, which passes it on: what follows the
 * first signal so closely is not a second one.
 */
const echoMs = 500

/** Tells the first signal to stop from further ones. */
export function watchInterrupts(
  handlers: { onFirst(signal: NodeJS.Signals): void; onSecond(): void },
  now: () => number = () => performance.now(),
): { release(): void } {
  let firstAt: number | undefined
  const onSignal = (signal: NodeJS.Signals): void => {
    if (firstAt === undefined) {
      firstAt = now()
      handlers.onFirst(signal)
    } else if (now() - firstAt > echoMs) handlers.onSecond()
  }
  for (const signal of signals) process.on(signal, onSignal)
  return {
    release() {
      for (const signal of signals) process.off(signal, onSignal)
    },
  }
}
