import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { privateFileMode } from './private-files.ts'
import type { TailContents } from './tail-contents.ts'

/**
 * Copies the bytes after the last complete commit to separate files before they are cut off, because damage to an
 * acknowledged commit looks the same as a crash.
 */
export async function keepTorn(directory: string, { files }: TailContents): Promise<void> {
  for (const { number, salt, end, bytes } of files) {
    const torn = bytes.subarray(end)
    if (salt === undefined || torn.every((byte) => byte === 0)) continue
    const path = join(directory, tornFileName(number, end))
    await writeFile(path, torn, { mode: privateFileMode, flush: true })
  }
}

function tornFileName(number: number, at: number): string {
  return `torn-${number}-${at}.bin`
}
