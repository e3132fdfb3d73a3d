import { SluiceError } from '@sluice/protocol'
import { type CommandArgs, stringValue } from '../command.ts'
import { type InputFormat, inputFormats } from '../input.ts'

/** The one FILE of a command, undefined for standard input. Throws `usage` for a second one. */
export function readFile(args: CommandArgs): string | undefined {
  if (args.positionals.length > 1) throw new SluiceError('usage', { message: 'Give only one FILE.' })
  return args.positionals[0]
}

export function readFormat(args: CommandArgs): InputFormat | undefined {
  const value = stringValue(args, 'input')
  return inputFormats.find((format) => format === value)
}
