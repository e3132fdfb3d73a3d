import { emptyTable, type SluiceEvent, type Table } from '@sluice/protocol'
import type { CheckedRequest, Selector } from '../request/checked-request.ts'
import type { NativeUsage } from './native.ts'

/** The state of a run of OpenCode. */
export interface OpencodeState {
  /** The session that the request resumes. */
  readonly resume: Selector | undefined
  readonly startedAt: number | undefined
  readonly session: string | undefined
  /** Whether it works in a different session. If so, none of its output becomes an event. */
  readonly isElsewhere: boolean
  /** The emitted texts and calls, as `text:` or `call:` with the id. */
  readonly seen: Table<true>
  /** How many texts came without an id. */
  readonly unnamed: number
  /** The output that is open, because it may be the last. */
  readonly open: string | undefined
  /** The last message with an answer, and that answer. */
  readonly message: string
  readonly answer: string
  readonly usage: NativeUsage | undefined
  /** Whether a tool was refused in this step. */
  readonly hasRefused: boolean
  /** How the run ends if nothing else follows. */
  readonly outlook: Outlook | undefined
  /** Whether its context was ever full. It then continues from a summary, but still exits with 1. */
  readonly hasOverflown: boolean
  /** Whether its context has become full since the last step began. */
  readonly isOverflowing: boolean
}

export type Outlook = { readonly ok: true } | { readonly ok: false; readonly message: string }

export function initialState({ resume }: CheckedRequest, startedAt: number | undefined): OpencodeState {
  return {
    resume,
    startedAt,
    session: undefined,
    isElsewhere: false,
    seen: emptyTable(),
    unnamed: 0,
    open: undefined,
    message: '',
    answer: '',
    usage: undefined,
    hasRefused: false,
    outlook: undefined,
    hasOverflown: false,
    isOverflowing: false,
  }
}

/** The end of the open text, if there is one. */
export function endText({ open }: OpencodeState): readonly SluiceEvent[] {
  return open === undefined ? [] : [{ kind: 'text-end', output: open, take: 0 }]
}
