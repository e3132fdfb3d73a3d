import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { storeFile } from './store.ts'
import { listTailFiles, tailFileName } from './tail-file.ts'

/** The total size of a log's files, some of which may appear or disappear meanwhile. */
export async function countDiskBytes(directory: string): Promise<number> {
  const names = [storeFile, ...(await listTailFiles(directory)).map(tailFileName)]
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(directory, name)).then(
        ({ size }) => size,
        () => 0, // removed in between
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
