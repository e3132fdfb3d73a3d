import { emptyTable, type SluiceEvent, type Table } from '@sluice/protocol'
import type { CheckedRequest, Selector } from '../request/checked-request.ts'
import type { NativeUsage } from './native.ts'

/** What is known of a run of OpenCode. */
export interface OpencodeState {
  /** The session that it was asked to take up. */
  readonly resume: Selector | undefined
  readonly startedAt: number | undefined
  readonly session: string | undefined
  /** Whether it works in another session than that: what it does there is not told. */
  readonly isElsewhere: boolean
  /** The texts and calls that were told, by `text:` and `call:` with their ids. */
  readonly seen: Table<true>
  /** How many texts came without an id. */
  readonly unnamed: number
  /** The output that may be the last. */
  readonly open: string | undefined
  /** The last message with an answer, and that answer. */
  readonly message: string
  readonly answer: string
  readonly usage: NativeUsage | undefined
  /** Whether a tool was refused in this step. */
  readonly hasRefused: boolean
  /** How it ends if nothing more comes. */
  readonly outlook: Outlook | undefined
  /** Whether its context was full at some time: it goes on from a summary, and exits with 1 all the same. */
  readonly hasOverflown: boolean
  /** Whether it is since the last step. */
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

/** The end of the text that is open, where one is. */
export function endText({ open }: OpencodeState): readonly SluiceEvent[] {
  return open === undefined ? [] : [{ kind: 'text-end', output: open, take: 0 }]
}
