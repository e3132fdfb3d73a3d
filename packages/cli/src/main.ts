import { errorTable, SluiceError } from '@sluice/protocol'
import { type Command, parseCommandArgs } from './command.ts'
import { convertCommand } from './commands/convert.ts'
import { dialectsCommand } from './commands/dialects.ts'
import { schemaCommand } from './commands/schema.ts'
import { validateCommand } from './commands/validate.ts'
import { exitCode } from './exit-code.ts'
import { formatCommandHelp, formatHelp } from './help.ts'
import type { Io } from './io.ts'
import { suggest } from './suggest.ts'

const commands: readonly Command[] = [convertCommand, validateCommand, schemaCommand, dialectsCommand]

/** Runs the sluice command and answers its exit code. Never throws, and never shows a stack trace. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(argv, io)
  } catch (error) {
    if (isClosedPipe(error)) return exitCode.clean
    const known = error instanceof SluiceError ? error : undefined
    io.stderr.write(`sluice: ${known?.message ?? 'Something went wrong inside sluice; please report it.'}\n`)
    if (known === undefined && io.env['SLUICE_DEBUG'] !== undefined)
      io.stderr.write(`${String((error as Error).stack)}\n`)
    return known === undefined ? exitCode.usage : errorTable[known.code].exit
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = argv
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const asked = commands.find((command) => command.name === rest[0])
    io.stdout.write(asked === undefined ? formatHelp(commands) : formatCommandHelp(asked))
    return name === undefined ? exitCode.usage : exitCode.clean
  }
  const command = commands.find((candidate) => candidate.name === name)
  if (command === undefined) {
    const near = suggest(
      name,
      commands.map((candidate) => candidate.name),
    )
    const hint = near === undefined ? 'See: sluice --help' : `Did you mean: sluice ${near}`
    throw new SluiceError('usage', { message: `There is no command of this name. ${hint}` })
  }
  const args = parseCommandArgs(command, rest)
  if (args.values['help'] === true) {
    io.stdout.write(formatCommandHelp(command))
    return exitCode.clean
  }
  return command.run(args, io)
}

/** The reader of our output went away, as `head` does. */
function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE'
}
