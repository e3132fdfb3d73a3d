import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startCursor } from '../cursor.ts'
import type { Dialect } from '../dialect.ts'
import type { SluiceEvent } from '../events.ts'
import { createSessionState } from '../session-state.ts'
import { anyEvent } from './arbitrary-events.ts'
import { runs } from './runs.ts'
import { entriesOf } from './sessions.ts'

/** For a dialect that builds the frames of deltas as text, except for the rest of an entry. */
export function testHotPath(dialect: Dialect): void {
  test('a chunk that is put together as text is the frame that would be stringified', () => {
    let compared = 0
    fc.assert(
      fc.property(fc.array(anyEvent, { minLength: 1, maxLength: 24 }), (events) => {
        const { entries, state: session } = entriesOf(events.map((event) => [withoutId(event)]))
        let { state } = dialect.encode.enter(createSessionState({ id: session.id }), startCursor)
        for (const entry of entries) {
          const { state: next, frames } = dialect.encode.step(state, entry)
          const rest = dialect.encode.step(state, entry, { from: 1 }).frames
          if (frames.length === 1 && entry.events[0]?.kind === 'text-delta') {
            expect(rest.map((frame) => frame.data)).toEqual(frames.map((frame) => frame.data))
            compared++
          }
          state = next
        }
      }),
      { numRuns: runs(200) },
    )
    expect(compared).toBeGreaterThan(100)
  })
}

function withoutId(event: SluiceEvent): SluiceEvent {
  const { id: _id, ...meta } = event.meta ?? {}
  return { ...event, meta }
}
