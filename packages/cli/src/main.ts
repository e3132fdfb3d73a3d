import { errorTable, nearestName, SluiceError } from '@sluice/protocol'
import { type Command, parseCommandArgs } from './command.ts'
import { exitCode } from './exit-code.ts'
import { guardIo } from './guard-terminal.ts'
import { formatCommandHelp, formatHelp } from './help.ts'
import type { Io, RawIo } from './io.ts'
import { say } from './say.ts'

/** Each command is loaded on demand: loading the gateway takes longer than `convert` needs to run. */
const loaders: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  publish: async () => (await import('./commands/publish.ts')).publishCommand,
  tail: async () => (await import('./commands/tail.ts')).tailCommand,
  run: async () => (await import('./commands/run.ts')).runCommand,
  agents: async () => (await import('./commands/agents.ts')).agentsCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  listen: async () => (await import('./commands/listen.ts')).listenCommand,
  aaep: async () => (await import('./commands/aaep.ts')).aaepCommand,
  sessions: async () => (await import('./commands/sessions.ts')).sessionsCommand,
  log: async () => (await import('./commands/log.ts')).logCommand,
  token: async () => (await import('./commands/token.ts')).tokenCommand,
  console: async () => (await import('./commands/console.ts')).consoleCommand,
  key: async () => (await import('./commands/key.ts')).keyCommand,
  convert: async () => (await import('./commands/convert.ts')).convertCommand,
  validate: async () => (await import('./commands/validate.ts')).validateCommand,
  conformance: async () => (await import('./commands/conformance.ts')).conformanceCommand,
  schema: async () => (await import('./commands/schema.ts')).schemaCommand,
  dialects: async () => (await import('./commands/dialects.ts')).dialectsCommand,
}

export const commandNames: readonly string[] = Object.keys(loaders)

/** Runs the sluice command and returns its exit code. Never throws, and never shows a stack trace. */
export async function main(argv: readonly string[], raw: RawIo): Promise<number> {
  const io = guardIo(raw)
  try {
    return await dispatch(argv, io)
  } catch (error) {
    if (isClosedPipe(error)) return exitCode.clean
    const known = error instanceof SluiceError ? error : undefined
    say(io, known?.message ?? 'Something went wrong inside sluice; please report it.')
    if (known === undefined && io.env['SLUICE_DEBUG'] !== undefined)
      io.stderr.write(`${String((error as Error).stack)}\n`)
    return known === undefined ? exitCode.usage : errorTable[known.code].exit
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = argv
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const asked = rest[0] === undefined ? undefined : await load(rest[0])
    io.stdout.write(asked === undefined ? formatHelp(await loadAll()) : formatCommandHelp(asked))
    return name === undefined ? exitCode.usage : exitCode.clean
  }
  const command = await load(name)
  if (command === undefined) {
    const near = nearestName(name, commandNames)
    const hint = near === undefined ? 'See: sluice --help' : `Did you mean: sluice ${near}`
    throw new SluiceError('usage', { message: `There is no command with this name. ${hint}` })
  }
  const args = parseCommandArgs(command, rest)
  if (args.values['help'] === true) {
    io.stdout.write(formatCommandHelp(command))
    return exitCode.clean
  }
  return command.run(args, io)
}

async function load(name: string): Promise<Command | undefined> {
  return Object.hasOwn(loaders, name) ? loaders[name]?.() : undefined
}

function loadAll(): Promise<readonly Command[]> {
  return Promise.all(Object.values(loaders).map((loader) => loader()))
}

/** The reader of our output went away, as `head` does. */
function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE'
}
