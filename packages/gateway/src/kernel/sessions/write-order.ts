/**
 * Lets calls begin in their order, even if one of them takes several turns of the event loop to begin. A call
 * without another before it begins immediately.
 */
export interface WriteOrder {
  /** Waits for earlier calls, and resolves with the function that lets later ones begin; undefined without any. */
  enter(): Promise<() => void> | undefined
  /** Makes later calls wait until the returned function is called. */
  hold(): () => void
  /** Starts `begin` in its turn, and does not wait for its end. */
  run<T>(begin: () => Promise<T>): Promise<T>
}

export function createWriteOrder(): WriteOrder {
  /** The last call in line. */
  let last: Promise<void> | undefined

  const hold = (): (() => void) => {
    let leave = (): void => {}
    const mine = new Promise<void>((resolve) => {
      leave = () => {
        if (last === mine) last = undefined
        resolve()
      }
    })
    last = mine
    return leave
  }

  const enter = (): Promise<() => void> | undefined => {
    if (last === undefined) return undefined
    const before = last
    const leave = hold()
    return before.then(() => leave)
  }

  return {
    enter,
    hold,
    async run(begin) {
      const turn = enter()
      // Awaiting undefined would let a later call begin first.
      const leave = turn === undefined ? undefined : await turn
      try {
        return begin()
      } finally {
        leave?.()
      }
    },
  }
}
