import type { Encoder } from '../../dialect.ts'
import { cursorBehind } from '../../frames.ts'
import { sluiceVersion } from './wire.ts'

/** Which session the entries belong to. */
export interface SluiceView {
  readonly session: string
  readonly foreign?: string
  readonly context?: string
}

/** The entry itself. A client joins anywhere without more. */
export const sluiceEncoder: Encoder<SluiceView> = {
  enter: ({ id, foreign, context }) => ({
    state: {
      session: id,
      ...(foreign === undefined ? {} : { foreign }),
      ...(context === undefined ? {} : { context }),
    },
    frames: [],
  }),

  step: (state, entry, part) => ({
    state,
    frames: [
      {
        data: JSON.stringify({ v: sluiceVersion, ...state, ...entry }),
        cursor: cursorBehind(entry, part),
      },
    ],
  }),
}
