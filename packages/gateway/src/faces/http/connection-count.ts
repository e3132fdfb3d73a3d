import { SluiceError } from '@sluice/protocol'

/** How many of something are open, in total and per subject: requests and WebSockets, or what WebSockets read. */
export interface ConnectionCount {
  /** Counts one of `subject` until the returned function is called, or throws `too_many_connections`. */
  enter(subject: string): () => void
}

export function createConnectionCount(limits: {
  readonly inAll: number
  readonly perSubject: number
}): ConnectionCount {
  const open = new Map<string, number>()
  let all = 0
  return {
    enter(subject) {
      const mine = open.get(subject) ?? 0
      if (all >= limits.inAll || mine >= limits.perSubject) throw new SluiceError('too_many_connections')
      all += 1
      open.set(subject, mine + 1)
      let isOpen = true
      return () => {
        if (!isOpen) return
        isOpen = false
        all -= 1
        const left = (open.get(subject) ?? 1) - 1
        if (left === 0) open.delete(subject)
        else open.set(subject, left)
      }
    },
  }
}
