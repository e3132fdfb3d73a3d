import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { ClientOptions } from '@sluice/client'
import { SluiceError } from '@sluice/protocol'
import { type CommandArgs, type CommandOption, stringValue } from './command.ts'
import { defaultDataDirectory } from './data-directory.ts'
import { isSealedWith, readGatewayFile } from './gateway-file.ts'
import type { Io } from './io.ts'
import { say } from './say.ts'
import { quoteForShell } from './shell-quote.ts'
import { trustOption } from './trust/ask-for-trust.ts'
import { loadTrustedConfig, namedConfig } from './trust/load-trusted-config.ts'
import { readOwnFile } from './trust/own-file.ts'
import { findFolderData } from './trust/trusted-folder.ts'

const dataOption: CommandOption = {
  type: 'string',
  value: 'DIR',
  help: 'The data directory of the gateway (or SLUICE_DATA).',
}

/** The options of every command that works on a data directory. */
export const dataOptions = {
  data: dataOption,
  trust: trustOption,
} as const satisfies Readonly<Record<string, CommandOption>>

/** The options of every command that talks to a gateway. */
export const connectionOptions = {
  gateway: {
    type: 'string',
    value: 'URL',
    help: 'The address of the gateway (or SLUICE_GATEWAY); by default the gateway of the data directory.',
  },
  token: {
    type: 'string',
    value: 'TOKEN',
    help: 'An API key or JWT for the gateway that --gateway names; SLUICE_TOKEN keeps it out of the process list.',
  },
  ...dataOptions,
} as const satisfies Readonly<Record<string, CommandOption>>

export interface GatewayConnection {
  readonly url: string
  readonly token: string | undefined
}

/**
 * The gateway that a command talks to: the named one, or else the gateway that runs on the data directory. A
 * token goes only to the gateway that was named with it, and the local key only to the gateway that created
 * it. Throws `gateway_unreachable` when none runs there.
 */
export async function findGateway(args: CommandArgs, io: Io, cwd: string): Promise<GatewayConnection> {
  const token = stringValue(args, 'token')
  const named = stringValue(args, 'gateway') ?? io.env['SLUICE_GATEWAY']
  if (named !== undefined) return { url: readUrl(named), token: token ?? io.env['SLUICE_TOKEN'] }
  if (token !== undefined)
    throw new SluiceError('usage', {
      message: '--token needs --gateway URL: a token goes only to the gateway that you name.',
    })
  const directory = await findDataDirectory(args, io, cwd)
  const found = await findOwnGateway(directory, io)
  if (found === undefined)
    throw new SluiceError('gateway_unreachable', {
      message: `No gateway runs on ${directory}. Start one with: npx sluice serve. Or name one with --gateway URL.`,
    })
  if (io.env['SLUICE_TOKEN'] !== undefined)
    say(
      io,
      `SLUICE_TOKEN is not sent to ${found.url}: you did not name that address. It comes from ${directory}, and the local key there is used instead. To send the token: --gateway ${found.url}`,
    )
  return { url: found.url, token: found.token }
}

/** The gateway that runs on a directory, with the local key as token, if that key seals its gateway.json. */
export async function findOwnGateway(
  directory: string,
  io: Io,
): Promise<(GatewayConnection & { readonly pid: number }) | undefined> {
  const found = await readGatewayFile(directory)
  if (found === undefined) return undefined
  const token = await readLocalKey(directory)
  if (token !== undefined && isSealedWith(token, found)) return { url: found.url, token, pid: found.pid }
  say(
    io,
    `Ignoring the gateway.json of ${directory}: it was not written by a gateway with the key of that directory.`,
  )
  return undefined
}

/** How long the commands that publish wait for a gateway that does not answer. */
export const patience = { backoff: { baseMs: 100, maxMs: 5_000 }, maxOutageMs: 5 * 60_000 } as const

export function toClientOptions({ url, token }: GatewayConnection): ClientOptions {
  return token === undefined ? { url } : { url, token }
}

/** The result of `work`. If no gateway answers, the error contains the address. */
export async function askGateway<Answer>({ url }: GatewayConnection, work: Promise<Answer>): Promise<Answer> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof SluiceError && error.code === 'gateway_unreachable')) throw error
    throw new SluiceError('gateway_unreachable', { message: `${error.message} (${url})`, cause: error })
  }
}

/**
 * The data directory that the flag, variable or file names, else the one of `npm start`, else the default
 * one. Throws `untrusted_folder` when the working directory supplies it and the user does not trust that.
 */
export async function findDataDirectory(args: CommandArgs, io: Io, cwd: string): Promise<string> {
  const named = stringValue(args, 'data') ?? io.env['SLUICE_DATA']
  if (named !== undefined) return resolve(cwd, named)
  // Loading a configuration takes a while, so skip it if there is none.
  const hasConfig = namedConfig(args, io) !== undefined || existsSync(join(cwd, 'sluice.config.json'))
  const { data } = hasConfig ? await loadTrustedConfig(args, io, { cwd }) : {}
  return data ?? findUsualData(args, io, cwd)
}

/** Like findDataDirectory(), when no flag, variable or file names one. */
export async function findUsualData(args: CommandArgs, io: Io, cwd: string): Promise<string> {
  return (await findFolderData(args, io, cwd)) ?? defaultDataDirectory(io.env, process.platform, homedir())
}

async function readLocalKey(directory: string): Promise<string | undefined> {
  const text = await readOwnFile(join(directory, 'local.key'), 'read')
  return text?.trim() === '' ? undefined : text?.trim()
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url?.username === '' && url.password === ''
  if (isPlain && (url?.protocol === 'http:' || url?.protocol === 'https:')) return text
  throw new SluiceError('usage', {
    message: '--gateway needs an address such as http://127.0.0.1:4747, without a user name or password.',
  })
}

/** The options with which another command finds the same gateway, to append to that command. */
export function toFlags(args: CommandArgs, io: Pick<Io, 'env'>): string {
  const url = stringValue(args, 'gateway') ?? io.env['SLUICE_GATEWAY']
  if (url !== undefined) return ` --gateway ${quoteForShell(url)}`
  const directory = stringValue(args, 'data') ?? io.env['SLUICE_DATA']
  return directory === undefined ? '' : ` --data ${quoteForShell(directory)}`
}
