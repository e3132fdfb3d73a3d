import { randomBytes } from 'node:crypto'
import type { Clock, JsonObject } from '@sluice/protocol'
import { pause } from '../pause.ts'
import type { EventFeed } from './event-feed.ts'

/** The events of one scripted session. */
export interface ScriptedSession {
  make(type: string, fields: JsonObject): JsonObject
  send(type: string, fields: JsonObject): Promise<void>
  state(from: string, to: string): Promise<void>
  write(output: string, chunks: readonly string[]): Promise<void>
}

export function createScriptedSession(
  feed: EventFeed,
  clock: Clock,
  session = newId('sess'),
): ScriptedSession {
  const make = (type: string, fields: JsonObject): JsonObject => ({
    '@context': 'https://aaep-protocol.org/context/v1',
    type: `aaep:agent.${type}`,
    aaep_version: '1.0.0',
    event_id: newId('evt'),
    session_id: session,
    timestamp: new Date(clock.now()).toISOString(),
    producer: { agent_id: 'sluice-conformance' },
    localization_hints: { primary_language: 'en' },
    ...fields,
  })
  const send = async (type: string, fields: JsonObject): Promise<void> => {
    feed.deliver(make(type, fields))
    await pause(clock, 1)
  }
  return {
    make,
    send,
    state: (from, to) => send('state.changed', { from_state: from, to_state: to }),
    async write(output, chunks) {
      let position = 0
      for (const [index, chunk] of chunks.entries()) {
        await send('output.streaming', {
          output_id: output,
          chunk,
          position,
          complete: index === chunks.length - 1,
        })
        position += [...chunk].length
      }
    },
  }
}

function newId(prefix: 'evt' | 'sess'): string {
  return `${prefix}_${randomBytes(16).toString('hex')}`
}
