/** The time of the machine. A timer keeps no process alive. */
export const clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    timer.unref()
    return { clear: () => clearTimeout(timer) }
  },
}
