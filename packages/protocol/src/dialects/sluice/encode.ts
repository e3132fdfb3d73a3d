import type { Encoder } from '../../dialect.ts'
import { cursorAfter } from '../../frames.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { sluiceVersion } from './wire.ts'

/** The session that the entries belong to. */
export interface SluiceView {
  readonly session: string
  readonly foreign?: string
  readonly context?: string
}

/** Writes the entry itself. A client can join anywhere without further frames. */
export const sluiceEncoder: Encoder<SluiceView> = {
  enter: ({ id, foreign, context }) => ({
    state: omitUndefined({
      session: id,
      foreign,
      context,
    }),
    frames: [],
  }),

  step: (state, entry, part) => ({
    state,
    frames: [
      {
        data: JSON.stringify({ v: sluiceVersion, ...state, ...entry }),
        cursor: cursorAfter(entry, part),
      },
    ],
  }),
}
