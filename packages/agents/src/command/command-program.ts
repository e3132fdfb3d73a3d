import { type Dialect, SluiceError } from '@sluice/protocol'
import type { Escalation } from '../process/end-group.ts'

/** A program that prints frames of one dialect, one per line. */
export interface CommandProgram {
  readonly kind: string
  readonly file: string
  readonly args: readonly string[]
  readonly dialect: Dialect
  /** How it gets the prompt: on its standard input, as its last argument, or not at all. */
  readonly prompt: 'stdin' | 'argument' | 'none'
  /**
   * Whether it reads inputs. If so, its standard input stays open and receives each input as a line of JSON,
   * with the prompt as the first message.
   */
  readonly inputs: boolean
  /** The signals that stop it. */
  readonly escalation: Escalation
}

/**
 * Refuses a prompt that cannot be an argument, or that a program could read as an option. Only the operator
 * knows whether the program understands `--`: if the configured arguments end with it, no prompt can be an
 * option.
 */
export function assertPlainArgument(prompt: string, args: readonly string[]): void {
  // The system ends an argument at this character.
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
