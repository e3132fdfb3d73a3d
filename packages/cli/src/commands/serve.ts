import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, relative } from 'node:path'
import type { StartedGateway } from '@sluice/gateway'
import { isLoopbackHost } from '@sluice/gateway/admin'
import { SluiceError } from '@sluice/protocol'
import { type Command, type CommandArgs, stringValue, stringValues } from '../command.ts'
import { defaultDataDirectory, startDirectoryIn, tellOfOthers } from '../data-directory.ts'
import { exitCode } from '../exit-code.ts'
import { findFreePort } from '../free-port.ts'
import { quoteForShell } from '../shell-quote.ts'
import type { ServedConfig } from '../start-own-gateway.ts'
import { trustOption } from '../trust/ask-for-trust.ts'
import { loadTrustedConfig } from '../trust/load-trusted-config.ts'
import { rememberOwnData } from '../trust/trusted-folder.ts'

export const serveCommand: Command = {
  name: 'serve',
  usage: 'serve [--port PORT] [--data DIR] [--config FILE] [OPTIONS]',
  summary:
    'Run a gateway until you stop it (Ctrl-C).\n' +
    'Flags override environment variables, which override sluice.config.json. See docs/guides/configuration.md.',
  options: {
    host: { type: 'string', value: 'ADDRESS', help: 'The address to listen on (default 127.0.0.1).' },
    port: {
      type: 'string',
      value: 'PORT',
      help: 'The port to listen on (default 4747); 0 for any free port.',
    },
    'next-port': { type: 'boolean', help: 'Use the next free port if this one is taken.' },
    data: { type: 'string', value: 'DIR', help: 'The directory for all data.' },
    config: { type: 'string', value: 'FILE', help: 'The configuration file (default sluice.config.json).' },
    'tls-cert': { type: 'string', value: 'FILE', help: 'Serve https with this certificate chain (PEM).' },
    'tls-key': { type: 'string', value: 'FILE', help: 'The private key of the certificate (PEM).' },
    'aaep-socket': {
      type: 'string',
      value: 'PATH|auto',
      help: 'Serve AAEP to programs of the same user on a Unix domain socket.',
    },
    'aaep-upstream': {
      type: 'string',
      value: 'URL',
      multiple: true,
      help: 'Follow the AAEP producer at this address. Can be repeated.',
    },
    trust: trustOption,
    'log-level': {
      type: 'string',
      value: 'LEVEL',
      help: 'The lowest level to log on standard error (default info).',
    },
  },
  example: 'npx sluice serve --port 8080 --data /var/lib/sluice',

  async run(args, io) {
    if (args.positionals.length > 0)
      throw new SluiceError('usage', { message: 'serve takes options only. See: sluice serve --help' })
    const loaded = await loadTrustedConfig(args, io, { cwd: process.cwd(), flags: readFlags(args) })
    const port =
      args.values['next-port'] === true ? await findFreePort(loaded.host, loaded.port) : loaded.port
    const defaultData = defaultDataDirectory(io.env, process.platform, homedir())
    const config = { ...loaded, port, data: loaded.data ?? defaultData }
    // A program may close the pipe after it has read the address.
    io.stdout.on('error', () => {})
    const welcome = async (running: StartedGateway): Promise<void> => {
      const isUsualData = config.data === (startDirectoryIn(process.cwd()) ?? defaultData)
      if (basename(config.data) === '.sluice')
        await rememberOwnData(io, dirname(config.data), running.localKey)
      await tellOfOthers(config.data, io)
      const isKeyShown = io.stdout.isTTY && isLoopbackHost(config.host)
      io.stdout.write(formatWelcome(running, config, { isKeyShown, isUsualData }))
    }
    // Imported here because they take a while to load and the help does not need them.
    const { serveAgents } = await import('../agents/serve-agents.ts')
    const { runGateway } = await import('../run-gateway.ts')
    const served = serveAgents(config.agents, io.env, process.cwd())
    await runGateway(config, welcome, { ...served, logTo: io.stderr, clock: io.clock })
    return exitCode.clean
  },
}

const recording = 'examples/recording.aaep.ndjson'

const flags = ['host', 'port', 'data', 'tls-cert', 'tls-key', 'aaep-socket', 'log-level'] as const

function readFlags(args: CommandArgs): Record<string, string | undefined> {
  const upstreams = stringValues(args, 'aaep-upstream')
  return {
    ...Object.fromEntries(flags.map((name) => [name, stringValue(args, name)])),
    ...(upstreams.length === 0 ? {} : { 'aaep-upstreams': JSON.stringify(upstreams.map(toUpstream)) }),
  }
}

/**
 * A producer on this machine needs no certificate. Only the configuration file can allow private addresses.
 */
function toUpstream(url: string): { readonly url: string; readonly allowPrivate?: true } {
  const isHere = URL.canParse(url) && isLoopbackHost(new URL(url).hostname)
  return isHere ? { url, allowPrivate: true } : { url }
}

/** Shows the local key only to a person on a loopback address: other output is stored and collected. */
function formatWelcome(
  { url, localKey, socket }: StartedGateway,
  { data }: ServedConfig,
  { isKeyShown, isUsualData }: { readonly isKeyShown: boolean; readonly isUsualData: boolean },
): string {
  const path = relative(process.cwd(), data)
  // A clone contains a recording to publish.
  const example = existsSync(recording) ? `sess_evoraweekend ${recording}` : 'sess_first FILE'
  const [session] = example.split(' ')
  const where = isUsualData ? '' : ` --data ${quoteForShell(path.startsWith('..') ? data : path)}`
  return `\
Sluice listens on ${url}
Console: ${url}/${isKeyShown ? `#token=${localKey}` : `\nSign in: npx sluice console${where}`}
Data:    ${data}${socket === undefined ? '' : `\nSocket:  ${socket}`}

To try it, paste in another terminal:

  npx sluice publish ${example}${where}
  npx sluice tail ${session}${where}
  npx sluice sessions${where}

`
}
