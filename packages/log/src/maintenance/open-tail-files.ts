import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { FoundFile } from '../drivers/lmdb/tail-contents.ts'
import { listTailFiles, tailFileName } from '../drivers/lmdb/tail-file.ts'

/** A file of the tail that stays readable when its owner removes it. */
export interface OpenTailFile {
  readonly number: number
  readonly file: FileHandle
}

/** Opens all files from a number on, ascending. To be closed by the caller. */
export async function openTailFiles(directory: string, from: number): Promise<readonly OpenTailFile[]> {
  for (;;) {
    const files: OpenTailFile[] = []
    try {
      for (const number of await listTailFiles(directory)) {
        if (number >= from)
          files.push({ number, file: await open(join(directory, tailFileName(number)), 'r') })
      }
      return files
    } catch (error) {
      await closeTailFiles(files)
      // Removed since it was listed: then others are there.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
}

export async function closeTailFiles(files: readonly OpenTailFile[]): Promise<void> {
  await Promise.allSettled(files.map(({ file }) => file.close()))
}

/** What the files hold: of the last one what it holds at the call, of the others all. */
export async function readOpenFiles(
  files: readonly OpenTailFile[],
): Promise<readonly Pick<FoundFile, 'number' | 'bytes'>[]> {
  const found: Pick<FoundFile, 'number' | 'bytes'>[] = []
  // The last one first: by then all that was committed before it stands in the others.
  for (const { number, file } of [...files].reverse()) found.unshift({ number, bytes: await file.readFile() })
  return found
}
