/** The system clock. Its timers do not keep the process alive. */
export const clock = {
  now: () => Date.now(),
  monotonic: () => Math.floor(performance.now()),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    timer.unref()
    return { clear: () => clearTimeout(timer) }
  },
}
