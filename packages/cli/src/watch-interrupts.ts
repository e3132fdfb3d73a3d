import type { Clock } from '@sluice/protocol'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Under npx one Ctrl-C arrives twice, from the terminal and from npm: a signal this soon after the first is
 * its echo.
 */
const echoMs = 500

/** Calls a handler on the first signal to stop, and another one on later signals. */
export function watchInterrupts(
  handlers: { onFirst(signal: NodeJS.Signals): void; onSecond(): void },
  clock: Clock,
): { release(): void } {
  let firstAt: number | undefined
  const onSignal = (signal: NodeJS.Signals): void => {
    if (firstAt === undefined) {
      firstAt = clock.monotonic()
      handlers.onFirst(signal)
    } else if (clock.monotonic() - firstAt > echoMs) handlers.onSecond()
  }
  for (const signal of signals) process.on(signal, onSignal)
  return {
    release() {
      for (const signal of signals) process.off(signal, onSignal)
    },
  }
}
