import { type ParseArgsConfig, parseArgs } from 'node:util'
import { nearestName, SluiceError } from '@sluice/protocol'
import type { Io } from './io.ts'

export interface CommandOption {
  readonly type: 'string' | 'boolean'
  readonly help: string
  /** The placeholder for the value in the help. */
  readonly value?: string
  readonly choices?: readonly string[]
  /** May be given several times. */
  readonly multiple?: boolean
}

export interface Command {
  readonly name: string
  readonly usage: string
  readonly summary: string
  readonly options: Readonly<Record<string, CommandOption>>
  /** A line that works when pasted in a clone of the project. */
  readonly example: string
  run(args: CommandArgs, io: Io): Promise<number>
}

export interface CommandArgs {
  readonly positionals: readonly string[]
  /** The positionals after `--`; undefined without it. */
  readonly behind?: readonly string[]
  readonly values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>
}

/** Reads the arguments of a command, or throws `usage` with a sentence that names the mistake. */
export function parseCommandArgs(command: Command, argv: readonly string[]): CommandArgs {
  const options: NonNullable<ParseArgsConfig['options']> = { help: { type: 'boolean', short: 'h' } }
  for (const [name, { type, multiple = false }] of Object.entries(command.options))
    options[name] = { type, multiple }
  checkNames(argv, Object.keys(options))
  try {
    const { positionals, values } = parseArgs({
      args: [...argv],
      options,
      allowPositionals: true,
      strict: true,
    })
    const read = values as CommandArgs['values'] // lists hold strings: only such options are declared `multiple`
    checkChoices(command, read)
    const divider = argv.indexOf('--')
    return { positionals, values: read, ...(divider < 0 ? {} : { behind: argv.slice(divider + 1) }) }
  } catch (error) {
    if (error instanceof SluiceError) throw error
    throw new SluiceError('usage', {
      message: `${messageOf(error)} See: sluice ${command.name} --help`,
      cause: error,
    })
  }
}

/** One value of an option; undefined when it was not given. */
export function stringValue(args: CommandArgs, name: string): string | undefined {
  const value = args.values[name]
  return typeof value === 'string' ? value : undefined
}

/** All values of an option that may be given several times. */
export function stringValues(args: CommandArgs, name: string): readonly string[] {
  const value = args.values[name]
  return Array.isArray(value) ? value : typeof value === 'string' ? [value] : []
}

function checkNames(argv: readonly string[], known: readonly string[]): void {
  for (const arg of argv) {
    if (arg === '--') return
    const name = /^--([^=]+)/.exec(arg)?.[1]
    if (name === undefined || known.includes(name)) continue
    const near = nearestName(name, known)
    throw new SluiceError('usage', {
      message: `There is no option --${name}.${near === undefined ? '' : ` Did you mean --${near}?`}`,
    })
  }
}

function checkChoices(command: Command, values: CommandArgs['values']): void {
  for (const [name, { choices }] of Object.entries(command.options)) {
    const value = values[name]
    if (choices === undefined || typeof value !== 'string' || choices.includes(value)) continue
    const near = nearestName(value, choices)
    throw new SluiceError('usage', {
      message: `--${name} is one of ${choices.join(', ')}.${near === undefined ? '' : ` Did you mean ${near}?`}`,
    })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error
    ? `${error.message.split('\n')[0]?.replace(/\.?$/, '.') ?? ''}`
    : 'The arguments are wrong.'
}
