import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { ClientOptions } from '@sluice/client'
import { SluiceError } from '@sluice/protocol'
import { type CommandArgs, type CommandOption, stringValue } from './command.ts'
import { defaultDataDirectory, startDirectoryIn } from './data-directory.ts'
import { readGatewayFile } from './gateway-file.ts'
import type { Io } from './io.ts'

export const dataOption: CommandOption = {
  type: 'string',
  value: 'DIR',
  help: 'The data directory of the gateway (or SLUICE_DATA).',
}

/** The options of every command that talks to a gateway. */
export const connectionOptions = {
  gateway: {
    type: 'string',
    value: 'URL',
    help: 'The address of the gateway (or SLUICE_GATEWAY); by default the one that runs on the data directory.',
  },
  token: {
    type: 'string',
    value: 'TOKEN',
    help: 'An API key or JWT; SLUICE_TOKEN keeps it out of the list of processes.',
  },
  data: dataOption,
} as const satisfies Readonly<Record<string, CommandOption>>

export interface GatewayConnection {
  readonly url: string
  readonly token: string | undefined
}

/**
 * The gateway that a command talks to: the one that is named, or the one that runs on the data directory, whose local
 * key is then used. Throws `gateway_unreachable` when none runs there.
 */
export async function findGateway(args: CommandArgs, io: Io, cwd: string): Promise<GatewayConnection> {
  const token = stringValue(args, 'token') ?? io.env['SLUICE_TOKEN']
  const named = stringValue(args, 'gateway') ?? io.env['SLUICE_GATEWAY']
  // The local key goes to the gateway that made it and nowhere else.
  if (named !== undefined) return { url: readUrl(named), token }
  const directory = await findDataDirectory(args, io, cwd)
  const found = await readGatewayFile(directory)
  if (found === undefined)
    throw new SluiceError('gateway_unreachable', {
      message: `No gateway runs on ${directory}. Start one with: npx sluice serve. Or name one with --gateway URL.`,
    })
  return { url: found.url, token: token ?? (await readLocalKey(directory)) }
}

export function toClientOptions({ url, token }: GatewayConnection): ClientOptions {
  return token === undefined ? { url } : { url, token }
}

/** What `work` answers; where no gateway answers it, the error says at which address. */
export async function askGateway<Answer>({ url }: GatewayConnection, work: Promise<Answer>): Promise<Answer> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof SluiceError && error.code === 'gateway_unreachable')) throw error
    throw new SluiceError('gateway_unreachable', { message: `${error.message} (${url})`, cause: error })
  }
}

/** The data directory that flag, variable or file name, else the one of `npm start`, else the default one. */
export async function findDataDirectory(args: CommandArgs, io: Io, cwd: string): Promise<string> {
  const named = stringValue(args, 'data') ?? io.env['SLUICE_DATA']
  if (named !== undefined) return resolve(cwd, named)
  const configured = await readConfigured(io, cwd)
  return configured ?? startDirectoryIn(cwd) ?? defaultDataDirectory(io.env, process.platform, homedir())
}

async function readConfigured(io: Io, cwd: string): Promise<string | undefined> {
  const file = io.env['SLUICE_CONFIG']
  if (file === undefined && !existsSync(join(cwd, 'sluice.config.json'))) return undefined
  // The gateway's package takes a while to load, so that only those who have a file wait for it.
  const { loadConfig } = await import('@sluice/gateway/admin')
  return (await loadConfig({ env: io.env, file, cwd })).data
}

async function readLocalKey(directory: string): Promise<string | undefined> {
  const text = await readFile(join(directory, 'local.key'), 'utf8').catch(() => undefined)
  return text?.trim() === '' ? undefined : text?.trim()
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text
  throw new SluiceError('usage', { message: '--gateway needs an address such as http://127.0.0.1:4747.' })
}
