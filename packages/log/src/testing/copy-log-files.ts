import { cp, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Copies what a log of the driver lmdb keeps, as a crash at this moment would leave it. No regroup may be under way. */
export async function copyLogFiles(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const name of await readdir(from)) {
    if (/^(log\.mdb|tail-\d+\.log)$/.test(name)) await cp(join(from, name), join(to, name))
  }
}
