import type { Client, Publisher } from '@sluice/client'
import type { SluiceEvent } from '@sluice/protocol'

/** An agent that the test plays, in the dialect `sluice`. */
export interface PlayedAgent {
  readonly session: string
  /** Stores events; resolves when they are durable. */
  say(...events: readonly SluiceEvent[]): Promise<void>
  /** Stores a piece of the answer. */
  text(piece: string): Promise<void>
  end(): Promise<void>
}

let count = 0

/** Starts a session of an agent that the test plays. */
export async function playAgent(client: Client, request = 'Tell me something.'): Promise<PlayedAgent> {
  count += 1
  const session = `sess_played${process.pid}x${count}`
  const publisher: Publisher<Parameters<Publisher<{ events: readonly SluiceEvent[] }>['send']>[0]> =
    client.publisher(session)
  const say = async (...events: readonly SluiceEvent[]): Promise<void> => {
    await publisher.send({ events })
  }
  await say({ kind: 'session-start', request, meta: { agent: { id: 'played', name: 'Played agent' } } })
  return {
    session,
    say,
    text: (text) => say({ kind: 'text-delta', output: 'o', take: 0, text, position: 0, channel: 'answer' }),
    end: async () => {
      await say({ kind: 'text-end', output: 'o', take: 0 }, { kind: 'session-end', outcome: 'completed' })
      await publisher.close()
    },
  }
}
