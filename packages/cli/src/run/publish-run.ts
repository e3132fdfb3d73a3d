import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '@sluice/client'
import { type Run, type RunOutput, SluiceError, toOneLine } from '@sluice/protocol'
import { toClientOptions } from '../gateway-connection.ts'
import { type IngestTarget, ingestLines, type Line, type LineFinding } from '../ingest-lines.ts'
import { createLineQueue } from '../line-queue.ts'
import { retry } from '../retry.ts'

/** What is wrong with the output of a run, and whether it was stored all the same. */
export interface RunFinding extends LineFinding {
  readonly isStored: boolean
}

/** Publishes what a run says, in order, and ends its session as the run ended. `tell` hears of what is wrong with it. */
export async function publishRun(
  run: Run,
  target: IngestTarget & { readonly dialect: string },
  tell: (finding: RunFinding) => void,
): Promise<void> {
  let number = 0
  let count = 0
  let dialect = target.dialect
  const newQueue = (of: string) =>
    createLineQueue(async (lines) => {
      const first = number
      number += lines.length
      const { refused, findings } = await retry(() => ingestLines({ ...target, dialect: of }, lines, first), {
        isFinal: () => false,
        onOutage() {},
        pause,
        now: () => performance.now(),
        random: Math.random,
      })
      for (const each of refused) tell({ ...each, isStored: false })
      for (const each of findings) tell({ ...each, isStored: true })
    })
  let queue = newQueue(dialect)
  try {
    for await (const output of run.outputs) {
      count += 1
      const line = toLine(output, count)
      if (line.dialect !== dialect) {
        await queue.end()
        dialect = line.dialect
        queue = newQueue(dialect)
      }
      await queue.push([line])
    }
    await queue.end()
  } catch (error) {
    // Nobody takes what it says any more.
    run.cancel()
    throw error
  } finally {
    await end(run, target)
  }
}

function toLine(output: RunOutput, line: number): Line & { readonly dialect: string } {
  if (output.type === 'frame') return { text: toOneLine(output.text), line, dialect: output.dialect }
  return { text: JSON.stringify({ events: output.events }), line, dialect: 'sluice' }
}

/** A program whose frames have ended the session has said it itself. */
async function end(run: Run, { connection, session }: IngestTarget): Promise<void> {
  const sessions = createClient(toClientOptions(connection)).sessions
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
    await sessions.end(session, ending)
  } catch (error) {
    if (!(error instanceof SluiceError && error.code === 'session_ended')) throw error
  }
}
