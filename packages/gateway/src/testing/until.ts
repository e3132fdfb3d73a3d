/**
 * Waits for something that another part of the process does: never by time, but turn by turn of the event
 * loop.
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let turns = 0; turns < 100_000; turns++) {
    if (await isSo()) return
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error('it never came to be')
}
