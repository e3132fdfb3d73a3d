const busyTurns = 1000

/**
 * Waits until something holds: checks at each turn of the event loop, and later each millisecond, because
 * other threads and processes need the processor too.
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let turns = 0; !(await isSo()); turns++)
    await new Promise((resolve) => (turns < busyTurns ? setImmediate(resolve) : setTimeout(resolve, 1)))
}
