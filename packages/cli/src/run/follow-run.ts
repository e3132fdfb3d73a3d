import type { Client, DialectName } from '@sluice/client'
import type { Outcome } from '@sluice/protocol'
import type { Io } from '../io.ts'
import { printFrames, printText } from '../print-session.ts'
import { watchConnection } from '../watch-connection.ts'
import { watchInterrupts } from '../watch-interrupts.ts'
import { createAsking } from './ask-person.ts'

export interface FollowedRun {
  readonly client: Client
  readonly session: string
  readonly io: Io
  /** A text for people, or the frames of a contract, one a line. */
  readonly show: { readonly as: 'text' } | { readonly as: 'ndjson'; readonly dialect: DialectName }
  /** The person wants it to be over at once. */
  kill(): void
}

/** Shows a run until it has ended, lets the person answer and cancel, and answers its outcome. */
export async function followRun({ client, session, io, show, kill }: FollowedRun): Promise<Outcome> {
  const watch = watchConnection(io)
  const cancel = (): void => {
    io.stderr.write('\nCancelling. Press Ctrl-C again to kill the agent.\n')
    client.cancel(session).catch(() => {})
  }
  const interrupts = watchInterrupts({ onFirst: cancel, onSecond: kill })
  const asking = createAsking(io, (answer) => {
    client.answer(session, answer).catch(() => io.stderr.write('sluice: The answer did not get through.\n'))
  })
  const reading = { signal: watch.signal, onConnection: watch.onConnection }
  try {
    const outcome =
      show.as === 'text'
        ? await printText(client.subscribe(session, reading), io, asking.step)
        : await printFrames(client.subscribe(session, { ...reading, dialect: show.dialect }), io)
    return outcome ?? 'failed'
  } finally {
    asking.release()
    interrupts.release()
    watch.release()
  }
}

/** The code with which the command ends: 0 for a run that completed, 130 for one that was cancelled. */
export function exitCodeOf(outcome: Outcome): number {
  if (outcome === 'completed') return 0
  return outcome === 'cancelled' ? 130 : 1
}
