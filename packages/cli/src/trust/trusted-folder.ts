import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommandArgs } from '../command.ts'
import { startDirectoryIn } from '../data-directory.ts'
import { readGatewayFile } from '../gateway-file.ts'
import type { Io } from '../io.ts'
import { toSafeLine } from '../safe-text.ts'
import { say } from '../say.ts'
import { askForTrust } from './ask-for-trust.ts'
import { describeConfig } from './describe-config.ts'
import { readOwnFile } from './own-file.ts'
import { fingerprint, readTrusted, rememberTrusted, type Trusted } from './trusted-folders.ts'

/*
 * A configuration names programs to run, and a data directory decides where requests go and which keys are
 * accepted. Both may have come with somebody else's clone or archive. They are used only if the user has said
 * so, or if a gateway of the user created them.
 */

const configFile = 'sluice.config.json'

/** The text of the configuration in the working directory; undefined without one. Throws `untrusted_folder`. */
export async function readFolderConfig(args: CommandArgs, io: Io, cwd: string): Promise<string | undefined> {
  const path = join(cwd, configFile)
  if (!existsSync(path)) return undefined
  // The gateway's package takes a while to load, so load it only if there is a file.
  const { readConfigFileText } = await import('@sluice/gateway/admin')
  const text = await readConfigFileText(path)
  if (text === undefined) return undefined
  const folder = await realpath(cwd)
  const config = fingerprint(text)
  if ((await readTrusted(io.env, folder)).config === config) return text
  const brings = [`${configFile}, which does this:`, ...describeConfig(text)]
  await askForTrust({ folder, brings }, args, io)
  await remember(io, folder, { config })
  return text
}

/** The data directory in the working directory; undefined without one. Throws `untrusted_folder`. */
export async function findFolderData(args: CommandArgs, io: Io, cwd: string): Promise<string | undefined> {
  const directory = startDirectoryIn(cwd)
  if (directory === undefined) return undefined
  const folder = await realpath(cwd)
  const { data } = await readTrusted(io.env, folder)
  if (data !== undefined && data === (await readKeyPrint(directory))) return directory
  await askForTrust({ folder, brings: [await describeData(directory)] }, args, io)
  const { ensureLocalKey } = await import('@sluice/gateway/admin')
  await remember(io, folder, { data: fingerprint(ensureLocalKey(directory)) })
  return directory
}

/** Trusts the .sluice of a folder because the user runs a gateway on it. */
export async function rememberOwnData(io: Io, folder: string, localKey: string): Promise<void> {
  const data = fingerprint(localKey)
  const path = await realpath(folder)
  if ((await readTrusted(io.env, path)).data !== data) await remember(io, path, { data })
}

/** The local key identifies its data directory: nobody else can know it. */
async function readKeyPrint(directory: string): Promise<string | undefined> {
  const key = await readOwnFile(join(directory, 'local.key'), 'read').catch(() => undefined)
  return key === undefined ? undefined : fingerprint(key.trim())
}

async function describeData(directory: string): Promise<string> {
  const gateway = await readGatewayFile(directory).catch(() => undefined)
  const address = gateway === undefined ? '' : `, with a gateway at ${toSafeLine(gateway.url)}`
  return `the data directory .sluice, which no gateway of yours is known to have created${address}`
}

async function remember(io: Io, folder: string, trusted: Trusted): Promise<void> {
  try {
    await rememberTrusted(io.env, folder, trusted)
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown reason'
    say(io, `Your trust in this folder could not be saved. ${why}`)
  }
}
