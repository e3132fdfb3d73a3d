import { createClient } from '@sluice/client'
import { SluiceError } from '@sluice/protocol'
import type { Command } from '../command.ts'
import { exitCode } from '../exit-code.ts'
import { askGateway, connectionOptions, findGateway, toClientOptions } from '../gateway-connection.ts'
import { toSafeLine } from '../safe-text.ts'
import { formatTable } from '../text-table.ts'
import { wrapLines } from '../wrap-text.ts'

export const agentsCommand: Command = {
  name: 'agents',
  usage: 'agents [--json] [OPTIONS]',
  summary: 'List the agents of a gateway, whether they are installed, and how many runs they have.',
  options: { json: { type: 'boolean', help: 'Print one JSON object per agent.' }, ...connectionOptions },
  example: 'npx sluice agents',

  async run(args, io) {
    if (args.positionals.length > 0)
      throw new SluiceError('usage', { message: 'agents takes options only. See: sluice agents --help' })
    const connection = await findGateway(args, io, process.cwd())
    const agents = await askGateway(connection, createClient(toClientOptions(connection)).agents.list())
    if (args.values['json'] === true) {
      for (const agent of agents) io.stdout.write(`${JSON.stringify(agent)}\n`)
      return exitCode.clean
    }
    const rows = agents.map(({ name, title, installed, version, active, queued }) => [
      name,
      toSafeLine(title),
      installed ? (version ?? 'yes') : 'no',
      String(active),
      String(queued),
    ])
    const table = formatTable([['AGENT', 'WHAT IT IS', 'INSTALLED', 'RUNNING', 'WAITING'], ...rows])
    io.stdout.write(wrapLines(table, io.stdout))
    return exitCode.clean
  },
}
