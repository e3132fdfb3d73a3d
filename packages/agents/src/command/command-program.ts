import { type Dialect, SluiceError } from '@sluice/protocol'
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

/**
 * Refuses a prompt that a program would take for an option. Only who configured the program knows whether it understands
 * `--`: arguments that end with it make every prompt a prompt.
 */
export function assertPlainArgument(prompt: string, args: readonly string[]): void {
  // The system ends an argument there.
  if (prompt.includes('\0')) throw invalidPrompt('must not have the character U+0000')
  if (prompt.startsWith('-') && args.at(-1) !== '--')
    throw invalidPrompt('must not begin with "-", unless the configured command ends with "--"')
}

function invalidPrompt(rule: string): SluiceError {
  return new SluiceError('invalid_run', {
    message: `invalid request: prompt ${rule}: this agent takes it as an argument`,
    details: { path: '/prompt' },
  })
}
