import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface DataDirectory {
  readonly path: string
  remove(): Promise<void>
}

/** Creates an empty temporary directory. */
export async function createDataDirectory(): Promise<DataDirectory> {
  const path = await mkdtemp(join(tmpdir(), 'sluice-log-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}
