import type { SluiceError } from '@sluice/protocol'

/** An item that waits to be written. */
export interface Waiting {
  readonly size: number
  reject(error: SluiceError): void
}

/** Commits items and runs tasks one after the other, in the order of the calls. */
export interface WriteLoop<Item extends Waiting> {
  /** Whether there is room for an item; a single one always has room. */
  hasRoom(size: number): boolean
  push(item: Item): void
  /** Runs a task once all earlier items are written, with nothing else in progress. */
  run<Result>(task: () => Promise<Result>): Promise<Result>
}

export interface WriteWork<Item> {
  /** Makes the items durable together. */
  commit(items: readonly Item[]): Promise<void>
  /** A promise that the next commit must wait for, or undefined. Never rejects. */
  hold(): Promise<void> | undefined
  /**
   * Why writing fails, or undefined. Checked before every step; everything that waits is rejected with it.
   */
  failure(): SluiceError | undefined
}

export interface WriteLimits {
  readonly maxWaitingBytes: number
  readonly maxWaitingItems: number
}

interface Task {
  run(): Promise<void>
  reject(error: SluiceError): void
}

// The size limit of a commit, so that the first of many waiting appends need not wait for all of them.
const maxCommitBytes = 4 * 1024 * 1024

/** Items gather during a commit. If none is in progress, the items of one turn are committed together. */
export function createWriteLoop<Item extends Waiting>(
  work: WriteWork<Item>,
  { maxWaitingBytes, maxWaitingItems }: WriteLimits,
): WriteLoop<Item> {
  // Each task follows the items that came before it: [items, task, items, task, items].
  let groups: { items: Item[]; task: Task | undefined }[] = [{ items: [], task: undefined }]
  let waitingItems = 0
  let waitingBytes = 0
  let running = false

  function lastGroup() {
    const last = groups.at(-1)
    if (last !== undefined && last.task === undefined) return last
    const group = { items: [], task: undefined }
    groups.push(group)
    return group
  }

  function takeItems(queue: Item[]): Item[] {
    let size = 0
    let count = 0
    for (const item of queue) {
      if (count > 0 && size + item.size > maxCommitBytes) break
      size += item.size
      count += 1
    }
    return queue.splice(0, count)
  }

  function release(items: readonly Item[]): void {
    waitingItems -= items.length
    for (const item of items) waitingBytes -= item.size
  }

  function rejectAll(error: SluiceError): void {
    const rejected = groups
    groups = []
    for (const { items, task } of rejected) {
      release(items)
      for (const item of items) item.reject(error)
      task?.reject(error)
    }
  }

  async function commitItems(queue: Item[]): Promise<void> {
    const items = takeItems(queue)
    try {
      await work.commit(items)
    } finally {
      release(items)
    }
  }

  function nextStep(): Promise<void> | undefined {
    const group = groups[0]
    if (group !== undefined && group.items.length > 0) return work.hold() ?? commitItems(group.items)
    if (group?.task === undefined) return undefined
    groups.shift()
    return group.task.run()
  }

  async function loop(): Promise<void> {
    // Items that arrive in one turn of the event loop, such as the requests of many sockets, form one commit.
    await new Promise((resolve) => setImmediate(resolve))
    for (;;) {
      const failure = work.failure()
      if (failure !== undefined) rejectAll(failure)
      const step = nextStep()
      // No await between this check and the end: an item pushed in between would wait for the next push.
      if (step === undefined) break
      await step
    }
    running = false
  }

  function wake(): void {
    if (running) return
    running = true
    void loop()
  }

  return {
    hasRoom: (size) =>
      waitingItems === 0 || (waitingItems < maxWaitingItems && waitingBytes + size <= maxWaitingBytes),
    push(item) {
      lastGroup().items.push(item)
      waitingItems += 1
      waitingBytes += item.size
      wake()
    },
    run(task) {
      return new Promise((resolve, reject) => {
        lastGroup().task = { run: () => task().then(resolve, reject), reject }
        wake()
      })
    },
  }
}
