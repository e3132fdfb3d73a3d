import {
  type Run,
  type RunAnswer,
  type RunCompletion,
  type RunOutput,
  SluiceError,
  type SluiceEvent,
} from '@sluice/protocol'
import { createOutputQueue } from './output-queue.ts'

/** Where a driver puts the output of its agent. */
export interface RunSink {
  /** Resolves when there is room for more. Drops output after a cancel, or once the reader has left. */
  emit(output: RunOutput): Promise<void>
}

/** A run, as its driver provides it. */
export interface Driven {
  /** Settles once the agent and everything that it started are gone. Rejects with `run_failed`. */
  readonly finished: Promise<RunCompletion>
  /** Ends the agent, gently and then by force. Called at most once. */
  end(): void
  /** Ends what is left of it by force; called after `end()`. */
  kill?(): void
  answer?(answer: RunAnswer): void
  message?(text: string): boolean
}

/** How many outputs may wait for their reader. */
const maxWaiting = 32

/**
 * Creates a run from a driver: bounds its outputs, completes after the last of them, and ends it on a cancel.
 */
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
      // A cancel takes precedence until the reader has room for this.
      if (!isCancelled) await emit({ type: 'events', events: [toNotice(failure)] })
      isFinished = true
      queue.close()
      throw failure
    },
  )

  const complete = async (): Promise<RunCompletion> => {
    // The reader gets all outputs first, even if the run fails.
    const [result] = await Promise.allSettled([outcome, queue.drained])
    if (isCancelled) throw new SluiceError('run_cancelled', { message: 'backend error: cancelled' })
    if (result.status === 'rejected') throw result.reason
    return result.value
  }
  const completion = complete()
  // A caller may ignore the completion: its rejection must not end the process.
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
    kill() {
      if (isCancelled && !isFinished) driven.kill?.()
    },
    answer: (answer) => {
      if (!isFinished && !isCancelled) driven.answer?.(answer)
    },
    message: (text) => !isFinished && !isCancelled && (driven.message?.(text) ?? false),
  }
}

/** A failure of a run. Its message is shown unchanged, so it never contains the agent's output. */
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
