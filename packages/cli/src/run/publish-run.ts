import type { Client, DialectName, Publisher } from '@sluice/client'
import { type Run, type RunOutput, SluiceError } from '@sluice/protocol'
import { patience } from '../gateway-connection.ts'
import { type LineFinding, settleLine } from '../line-finding.ts'

/** A problem with the output of a run, and whether the output was stored anyway. */
export interface RunFinding extends LineFinding {
  readonly isStored: boolean
}

export interface RunTarget {
  readonly client: Client
  readonly session: string
  /** The name under which the outputs are numbered. */
  readonly producer: string
}

/** Publishes the output of a run in order, and ends its session as the run ended. Calls `tell` for every problem. */
export async function publishRun(
  run: Run,
  target: RunTarget,
  tell: (finding: RunFinding) => void,
): Promise<void> {
  const { client, session, producer: name } = target
  let count = 0
  let current: { readonly dialect: DialectName; readonly publisher: Publisher<unknown> } | undefined
  let failure: { readonly error: unknown } | undefined
  /** Resolves when the last output is settled, and with it all earlier ones. */
  let settled: Promise<void> = Promise.resolve()

  const publish = async (line: number, sent: ReturnType<Publisher<unknown>['sendText']>): Promise<void> => {
    try {
      const { refusal, findings } = await settleLine(line, sent)
      if (refusal !== undefined) tell({ ...refusal, isStored: false })
      for (const each of findings) tell({ ...each, isStored: true })
    } catch (error) {
      failure ??= { error }
    }
  }

  /** The publisher of a dialect. A change of dialect waits until all earlier output is settled. */
  const publisherOf = async (dialect: DialectName): Promise<Publisher<unknown>> => {
    if (current?.dialect === dialect) return current.publisher
    await settled
    const producer = { name, epoch: 0, seq: count }
    const publisher = client.publisher(session, { ...patience, dialect, names: 'ignore', producer })
    current = { dialect, publisher }
    return publisher
  }

  try {
    for await (const output of run.outputs) {
      const publisher = await publisherOf(output.type === 'frame' ? output.dialect : 'sluice')
      await publisher.ready()
      if (failure !== undefined) break
      count += 1
      settled = publish(count, publisher.sendText(toText(output)))
    }
    await settled
    if (failure !== undefined) throw failure.error
  } catch (error) {
    run.cancel() // its output can no longer be stored
    throw error
  } finally {
    await end(run, target)
  }
}

function toText(output: RunOutput): string {
  return output.type === 'frame' ? output.text : JSON.stringify({ events: output.events })
}

/** Ends the session, unless frames of the program have ended it already. */
async function end(run: Run, { client, session }: RunTarget): Promise<void> {
  const ending = await run.completion.then(
    () => ({ outcome: 'completed' }) as const,
    (error: unknown) => {
      const isCancelled = error instanceof SluiceError && error.code === 'run_cancelled'
      if (isCancelled) return { outcome: 'cancelled' } as const
      const message = error instanceof SluiceError ? error.message : 'The run failed.'
      return { outcome: 'failed', error: { code: 'Backend', message } } as const
    },
  )
  try {
    await client.sessions.end(session, ending)
  } catch (error) {
    if (!(error instanceof SluiceError && error.code === 'session_ended')) throw error
  }
}
