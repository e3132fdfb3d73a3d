import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { FoundFile } from '../drivers/lmdb/tail-contents.ts'
import { listTailFiles, tailFileName } from '../drivers/lmdb/tail-file.ts'

/** An open tail file, which stays readable after its owner removes it. */
export interface OpenTailFile {
  readonly number: number
  readonly file: FileHandle
}

/** Opens all files from a number on, ascending. The caller closes them. */
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
      // A file was removed after it was listed: the next listing has its successors.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
}

export async function closeTailFiles(files: readonly OpenTailFile[]): Promise<void> {
  await Promise.allSettled(files.map(({ file }) => file.close()))
}

/** Reads the files: the last one as it is at the call, the others completely. */
export async function readOpenFiles(
  files: readonly OpenTailFile[],
): Promise<readonly Pick<FoundFile, 'number' | 'bytes'>[]> {
  const found: Pick<FoundFile, 'number' | 'bytes'>[] = []
  // The last file first: all earlier commits are already in the others.
  for (const { number, file } of [...files].reverse()) found.unshift({ number, bytes: await file.readFile() })
  return found
}
