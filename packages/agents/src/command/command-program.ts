import type { Dialect } from '@sluice/protocol'
import type { Escalation } from '../process/end-group.ts'

/** A program that prints the frames of one contract, each on a line of its own. */
export interface CommandProgram {
  readonly kind: string
  readonly file: string
  readonly args: readonly string[]
  readonly dialect: Dialect
  /** How it gets the prompt: on its standard input, as its last argument, or not at all. */
  readonly prompt: 'stdin' | 'argument' | 'none'
  /**
   * Whether it reads what flows back to it: then its standard input stays open and gets each input as a line of JSON,
   * the prompt as the first message.
   */
  readonly inputs: boolean
  /** How it is asked to stop. */
  readonly escalation: Escalation
}
