import type { QuestionClose } from '@sluice/protocol'

/** The questions for whose answers somebody in this process waits. */
export interface OpenQuestions {
  /** Resolves with how the question ends; rejects with what ends the waiting. */
  wait(token: string): Promise<QuestionClose>
  settle(close: QuestionClose): void
  abandon(token: string, error: unknown): void
  /** Nothing more will be heard: rejects all. */
  breakDown(error: unknown): void
  /** Why nothing more will be heard. */
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
