import type { QuestionClose } from '@sluice/protocol'

/** The questions whose answers somebody in this process awaits. */
export interface OpenQuestions {
  /** Resolves with the close of the question; rejects with the reason for giving up. */
  wait(token: string): Promise<QuestionClose>
  settle(close: QuestionClose): void
  abandon(token: string, error: unknown): void
  /** No further answer can arrive: rejects all. */
  breakDown(error: unknown): void
  /** Why no further answer can arrive. */
  failure(): { readonly error: unknown } | undefined
}

interface Waiter {
  resolve(close: QuestionClose): void
  reject(error: unknown): void
}

export function createOpenQuestions(): OpenQuestions {
  const waiters = new Map<string, Waiter>()
  let failure: { readonly error: unknown } | undefined

  function take(token: string): Waiter | undefined {
    const waiter = waiters.get(token)
    waiters.delete(token)
    return waiter
  }

  return {
    wait: (token) => new Promise((resolve, reject) => waiters.set(token, { resolve, reject })),
    settle: (close) => take(close.token)?.resolve(close),
    abandon: (token, error) => take(token)?.reject(error),
    breakDown(error) {
      failure ??= { error }
      for (const token of [...waiters.keys()]) take(token)?.reject(error)
    },
    failure: () => failure,
  }
}
