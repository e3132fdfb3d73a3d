import {
  type Run,
  type RunAnswer,
  type RunCompletion,
  type RunOutput,
  SluiceError,
  type SluiceEvent,
} from '@sluice/protocol'
import { createOutputQueue } from './output-queue.ts'

/** Where a driver puts what its agent says. */
export interface RunSink {
  /** Resolves when there is room for more. What comes after a cancel, or when nobody reads any more, goes nowhere. */
  emit(output: RunOutput): Promise<void>
}

/** What a driver does for a run. */
export interface Driven {
  /** Settles once the agent and everything it started is gone. Rejects with `run_failed`. */
  readonly finished: Promise<RunCompletion>
  /** Ends the agent, gently and then by force. Called once at most. */
  end(): void
  answer?(answer: RunAnswer): void
  message?(text: string): boolean
}

/** How many outputs may wait for their reader. */
const maxWaiting = 32

/** Makes a run of what a driver does: its outputs bounded, its completion behind them, and its end by a cancel. */
export function createRun(drive: (sink: RunSink) => Driven): Run {
  const queue = createOutputQueue(maxWaiting)
  let isCancelled = false
  let isFinished = false

  const emit = (output: RunOutput): Promise<void> => queue.push(output)
  const driven = drive({ emit })

  const outcome = driven.finished.then(
    async (completion) => {
      isFinished = true
      queue.close()
      return completion
    },
    async (error: unknown) => {
      const failure = toFailure(error)
      // Until its reader has room for it, a cancel still goes before.
      if (!isCancelled) await emit({ type: 'events', events: [toNotice(failure)] })
      isFinished = true
      queue.close()
      throw failure
    },
  )

  const complete = async (): Promise<RunCompletion> => {
    // The outputs are observed to their end even where the outcome is a failure.
    const [result] = await Promise.allSettled([outcome, queue.drained])
    if (isCancelled) throw new SluiceError('run_cancelled', { message: 'backend error: cancelled' })
    if (result.status === 'rejected') throw result.reason
    return result.value
  }
  const completion = complete()
  // Whoever does not look at it is not ended by it.
  completion.catch(() => {})

  return {
    outputs: queue.outputs,
    completion,
    cancel() {
      if (isFinished || isCancelled) return
      isCancelled = true
      queue.discard()
      driven.end()
    },
    answer: (answer) => {
      if (!isFinished && !isCancelled) driven.answer?.(answer)
    },
    message: (text) => !isFinished && !isCancelled && (driven.message?.(text) ?? false),
  }
}

/** A failure of a run: its message is told as it is, so it never holds what the agent printed. */
export function runFailed(message: string): SluiceError {
  return new SluiceError('run_failed', { message })
}

function toFailure(error: unknown): SluiceError {
  return error instanceof SluiceError && error.code === 'run_failed'
    ? error
    : new SluiceError('run_failed', { message: 'the agent could not be run', cause: error })
}

function toNotice(failure: SluiceError): SluiceEvent {
  return {
    kind: 'notice',
    level: 'error',
    code: 'run_failed',
    text: failure.message,
    meta: { channel: 'error' },
  }
}
