/** Runs tasks one after the other, in the order of the calls; one that fails stops none behind it. */
type Queue = <Result>(task: () => Promise<Result>) => Promise<Result>

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const running = last.then(task)
    last = running.catch(() => {})
    return running
  }
}
