import { createClient } from '@sluice/client'
import { SluiceError } from '@sluice/protocol'
import { runStdioBridge } from '../aaep/stdio-bridge.ts'
import type { Command } from '../command.ts'
import { exitCode } from '../exit-code.ts'
import { connectionOptions, findGateway, toClientOptions } from '../gateway-connection.ts'

export const aaepCommand: Command = {
  name: 'aaep',
  usage: 'aaep --stdio [OPTIONS]',
  summary:
    'Serve the Agent Accessibility Event Protocol (AAEP) to an assistive client that starts this command.\n' +
    'JSON-RPC 2.0 on standard input and output, one message per line. Ends with the input.',
  options: {
    stdio: { type: 'boolean', help: 'Speak over standard input and output.' },
    ...connectionOptions,
  },
  example: 'npx sluice aaep --stdio',

  async run(args, io) {
    if (args.values['stdio'] !== true || args.positionals.length > 0)
      throw new SluiceError('usage', { message: 'Usage: sluice aaep --stdio. See: sluice aaep --help' })
    const connection = await findGateway(args, io, process.cwd())
    await runStdioBridge(createClient(toClientOptions(connection)), io)
    return exitCode.clean
  },
}
