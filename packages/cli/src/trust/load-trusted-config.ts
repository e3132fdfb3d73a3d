import type { GatewayConfig } from '@sluice/gateway/admin'
import { type CommandArgs, stringValue } from '../command.ts'
import type { Io } from '../io.ts'
import { readFolderConfig } from './trusted-folder.ts'

/**
 * The one way in which a command reads a configuration: the file that is named, or that of the working directory once
 * it is trusted. Throws `untrusted_folder`, and `bad_config` as loadConfig() does.
 */
export async function loadTrustedConfig(
  args: CommandArgs,
  io: Io,
  cwd: string,
  flags: Readonly<Record<string, string | undefined>> = {},
): Promise<GatewayConfig> {
  const file = namedConfig(args, io)
  // What was looked at is what is used: the file of a folder is not read a second time.
  const read = file === undefined ? { text: (await readFolderConfig(args, io, cwd)) ?? null } : { file }
  const { loadConfig } = await import('@sluice/gateway/admin')
  return loadConfig({ flags, env: io.env, cwd, ...read })
}

/** Whether there is a configuration to read. */
export function namedConfig(args: CommandArgs, io: Io): string | undefined {
  return stringValue(args, 'config') ?? io.env['SLUICE_CONFIG']
}
