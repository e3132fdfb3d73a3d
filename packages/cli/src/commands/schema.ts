import { nearestName, SluiceError } from '@sluice/protocol'
import type { Command } from '../command.ts'
import { exitCode } from '../exit-code.ts'
import { readDialect } from './dialect-option.ts'

export const schemaCommand: Command = {
  name: 'schema',
  usage: 'schema DIALECT [NAME]',
  summary: 'Print the JSON Schema (2020-12) of one message of a dialect; without NAME, list the names.',
  options: {},
  example: 'npx sluice schema aaep agent.output.streaming',

  async run(args, io) {
    const [id, name, ...more] = args.positionals
    const dialect = id === undefined ? undefined : readDialect(id)
    if (dialect === undefined || more.length > 0)
      throw new SluiceError('usage', { message: 'Usage: sluice schema DIALECT [NAME]. See: sluice dialects' })
    const names = Object.keys(dialect.schemas)
    if (name === undefined) {
      io.stdout.write(`${names.join('\n')}\n`)
      return exitCode.clean
    }
    if (!Object.hasOwn(dialect.schemas, name)) {
      const near = nearestName(name, names)
      const hint = near === undefined ? `See: sluice schema ${dialect.id}` : `Did you mean ${near}?`
      throw new SluiceError('usage', { message: `${dialect.title} has no schema with this name. ${hint}` })
    }
    io.stdout.write(`${JSON.stringify(dialect.schemas[name], null, 2)}\n`)
    return exitCode.clean
  },
}
