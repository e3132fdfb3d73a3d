import { SluiceError } from '@sluice/protocol'
import type { Command } from '../command.ts'
import { exitCode } from '../exit-code.ts'
import { connectionOptions, findGateway } from '../gateway-connection.ts'

export const consoleCommand: Command = {
  name: 'console',
  usage: 'console [OPTIONS]',
  summary:
    'Print a link that signs in to the console of a gateway.\n' +
    'The link contains a key, with all permissions if the gateway is your own: keep it out of logs and chats.',
  options: connectionOptions,
  example: 'npx sluice console',

  async run(args, io) {
    if (args.positionals.length > 0)
      throw new SluiceError('usage', { message: 'console takes options only. See: sluice console --help' })
    const { url, token } = await findGateway(args, io, process.cwd())
    const page = url.endsWith('/') ? url : `${url}/`
    io.stdout.write(token === undefined ? `${page}\n` : `${page}#token=${encodeURIComponent(token)}\n`)
    return exitCode.clean
  },
}
