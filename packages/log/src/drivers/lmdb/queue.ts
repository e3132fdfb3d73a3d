/** Runs tasks one at a time, in the order of the calls. A failed task does not stop later ones. */
type Queue = <Result>(task: () => Promise<Result>) => Promise<Result>

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const running = last.then(task)
    last = running.catch(() => {})
    return running
  }
}
