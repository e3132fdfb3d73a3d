import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface DataDirectory {
  readonly path: string
  remove(): Promise<void>
}

/** Creates an empty temporary directory, in memory where the system can if `isQuick`: syncs cost nothing there. */
export async function createDataDirectory({ isQuick = false } = {}): Promise<DataDirectory> {
  const parent = isQuick && existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const path = await mkdtemp(join(parent, 'sluice-log-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}
