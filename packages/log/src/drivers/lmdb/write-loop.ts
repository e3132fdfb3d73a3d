import type { SluiceError } from '@sluice/protocol'

/** Something that waits to be written. */
export interface Waiting {
  readonly size: number
  reject(error: SluiceError): void
}

/** Writes one thing at a time, in the order in which it came. */
export interface WriteLoop<Item extends Waiting> {
  /** Whether there is room for an item; a single one always has room. */
  hasRoom(size: number): boolean
  push(item: Item): void
  /** Runs a task when all that came before is written, and nothing beside it. */
  run<Result>(task: () => Promise<Result>): Promise<Result>
}

export interface WriteWork<Item> {
  /** Makes the items durable together. */
  commit(items: readonly Item[]): Promise<void>
  /** What the next step has to wait for, or undefined. Never rejects. */
  hold(): Promise<void> | undefined
  /** Why nothing can be written, or undefined. Asked after every step: then all that waits is rejected with it. */
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

// One commit takes no more, so that the first of many waiting appends need not wait for all of them.
const maxCommitBytes = 4 * 1024 * 1024

/** While a commit is under way items gather; when nothing is, an item leaves with those of the same turn. */
export function createWriteLoop<Item extends Waiting>(
  work: WriteWork<Item>,
  { maxWaitingBytes, maxWaitingItems }: WriteLimits,
): WriteLoop<Item> {
  // Tasks stand behind the items that came before them: [items, task, items, task, items].
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
    // What comes in one turn of the event loop, as the requests of many sockets do, is one commit.
    await new Promise((resolve) => setImmediate(resolve))
    for (;;) {
      const failure = work.failure()
      if (failure !== undefined) rejectAll(failure)
      const step = nextStep()
      // No await between the look and the end, else what is pushed in between would wait for the next.
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
