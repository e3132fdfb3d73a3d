import type { Answer, Client } from '@sluice/client'
import type { Outcome } from '@sluice/protocol'
import { followSession, type Show } from '../follow-session.ts'
import type { Io } from '../io.ts'
import { createQuestionNotice } from '../question-notice.ts'
import { say } from '../say.ts'
import { watchConnection } from '../watch-connection.ts'
import { watchInterrupts } from '../watch-interrupts.ts'
import { createAsking } from './ask-person.ts'

export interface FollowedRun {
  readonly client: Client
  readonly session: string
  readonly io: Io & { readonly stdin: { readonly isTTY?: boolean } }
  readonly show: Show
  /** The address of the gateway, and the options with which another command finds it. */
  readonly url: string
  readonly flags: string
  /** Ends the run immediately. */
  kill(): void
}

/** Shows a run until it has ended, and lets the person answer and cancel. Returns its outcome. */
export async function followRun(run: FollowedRun): Promise<Outcome> {
  const { client, session, io, show, url, flags, kill } = run
  const watch = watchConnection(io)
  const cancel = (): void => {
    io.stderr.write('\nCancelling. Press Ctrl-C again to kill the agent.\n')
    client.cancel(session).catch(() => {})
  }
  const interrupts = watchInterrupts({ onFirst: cancel, onSecond: kill }, io.clock)
  const asking = createAsking({
    io,
    wholeCommand: `npx sluice tail ${session} --output ndjson${flags}`,
    isAlone: show.as === 'ndjson',
    send: (answer) => void sendAnswer(run, answer),
  })
  const notice =
    io.stdin.isTTY === true ? undefined : createQuestionNotice({ client, session, io, url, flags })
  try {
    const outcome = await followSession({
      ...{ client, session, io, show, watch },
      heed(events) {
        notice?.heed(events)
        const text = asking.step(events)
        // Frames are for a program, so a person at the keyboard is asked on standard error.
        if (show.as === 'ndjson' && notice === undefined) io.stderr.write(text)
        return text
      },
    })
    return outcome ?? 'failed'
  } finally {
    asking.release()
    interrupts.release()
    watch.release()
  }
}

async function sendAnswer({ client, session, io }: FollowedRun, answer: Answer): Promise<void> {
  try {
    const { counted } = await client.answer(session, answer)
    if (!counted) say(io, 'The answer did not count: the question was no longer open.')
  } catch {
    say(io, 'The answer could not be sent.')
  }
}

/** The code with which the command ends: 0 for a run that completed, 130 for one that was cancelled. */
export function exitCodeOf(outcome: Outcome): number {
  if (outcome === 'completed') return 0
  return outcome === 'cancelled' ? 130 : 1
}
