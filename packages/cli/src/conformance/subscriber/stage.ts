import { randomBytes } from 'node:crypto'
import type { Clock, JsonObject } from '@sluice/protocol'
import { pause } from '../wakeful-clock.ts'
import type { Seat } from './seat.ts'

/** The events of one scripted session. */
export interface Stage {
  make(type: string, fields: JsonObject): JsonObject
  say(type: string, fields: JsonObject): Promise<void>
  state(from: string, to: string): Promise<void>
  write(output: string, chunks: readonly string[]): Promise<void>
}

export function createStage(seat: Seat, clock: Clock, session = newId('sess')): Stage {
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
  const say = async (type: string, fields: JsonObject): Promise<void> => {
    seat.deliver(make(type, fields))
    await pause(clock, 1)
  }
  return {
    make,
    say,
    state: (from, to) => say('state.changed', { from_state: from, to_state: to }),
    async write(output, chunks) {
      let position = 0
      for (const [index, chunk] of chunks.entries()) {
        await say('output.streaming', {
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
