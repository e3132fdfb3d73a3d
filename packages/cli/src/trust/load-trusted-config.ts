import type { GatewayConfig } from '@sluice/gateway/admin'
import { type CommandArgs, stringValue } from '../command.ts'
import type { Io } from '../io.ts'
import { readFolderConfig } from './trusted-folder.ts'

/**
 * The only way for a command to read a configuration: the named file, or that of the working directory once
 * it is trusted. Throws `untrusted_folder`, and `bad_config` like loadConfig().
 */
export async function loadTrustedConfig(
  args: CommandArgs,
  io: Io,
  {
    cwd,
    flags = {},
  }: { readonly cwd: string; readonly flags?: Readonly<Record<string, string | undefined>> },
): Promise<GatewayConfig> {
  const file = namedConfig(args, io)
  // Uses exactly the text that was checked: the file of a folder is not read again.
  const read = file === undefined ? { text: (await readFolderConfig(args, io, cwd)) ?? null } : { file }
  const { loadConfig } = await import('@sluice/gateway/admin')
  return loadConfig({ flags, env: io.env, cwd, ...read })
}

/** The configuration file that the flag or the variable names. */
export function namedConfig(args: CommandArgs, io: Io): string | undefined {
  return stringValue(args, 'config') ?? io.env['SLUICE_CONFIG']
}
