import { createInterface } from 'node:readline'
import { SluiceError } from '@sluice/protocol'
import type { CommandArgs, CommandOption } from '../command.ts'
import type { Io } from '../io.ts'
import { toSafeLine } from '../safe-text.ts'
import { say } from '../say.ts'
import { wrapLines } from '../wrap-text.ts'

export const trustOption: CommandOption = {
  type: 'boolean',
  help: 'Trust the sluice.config.json and .sluice of this folder, and remember it.',
}

/**
 * Resolves when the user trusts what a folder contains: by --trust, or by confirming it at a terminal after
 * reading what that is. Otherwise throws `untrusted_folder`.
 */
export async function askForTrust(
  { folder, brings }: { readonly folder: string; readonly brings: readonly string[] },
  args: CommandArgs,
  io: Io,
): Promise<void> {
  if (args.values['trust'] === true) return
  say(io, `${toSafeLine(folder, 1000)} contains something that you have not trusted yet:`)
  // Each line has its own bound, and is indented, unlike this command's own lines.
  for (const line of brings) io.stderr.write(wrapLines(`  ${line}\n`, io.stderr))
  const stdin: Io['stdin'] & { readonly isTTY?: boolean } = io.stdin
  if (stdin.isTTY !== true || !io.stderr.isTTY)
    throw new SluiceError('untrusted_folder', {
      message:
        'Nothing of it was used. To trust it, pass --trust, or name it with --config FILE or --data DIR.',
    })
  io.stderr.write('If you trust this folder, type yes and press Enter; otherwise press Enter alone: ')
  if (!/^\s*yes\s*$/i.test(await readLine(io)))
    throw new SluiceError('untrusted_folder', { message: 'Nothing of this folder was used.' })
}

function readLine({ stdin }: Io): Promise<string> {
  const lines = createInterface({ input: stdin, terminal: false })
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(line)
      lines.close()
    })
    lines.once('close', () => resolve(''))
  })
}
