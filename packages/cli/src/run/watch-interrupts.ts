/** Ctrl-C under npx arrives twice within a moment, from the terminal and from npm: that is one. */
const echoMs = 500

/** Tells a first Ctrl-C, or another signal to stop, from a second one. */
export function watchInterrupts(
  handlers: { onFirst(): void; onSecond(): void },
  now: () => number = () => performance.now(),
): { release(): void } {
  let firstAt: number | undefined
  const onSignal = (): void => {
    if (firstAt === undefined) {
      firstAt = now()
      handlers.onFirst()
    } else if (now() - firstAt > echoMs) handlers.onSecond()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, onSignal)
  return {
    release() {
      for (const signal of signals) process.off(signal, onSignal)
    },
  }
}
