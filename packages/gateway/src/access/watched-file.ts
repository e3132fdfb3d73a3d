import { statSync } from 'node:fs'
import { SluiceError } from '@sluice/protocol'
import { readIfThere } from './private-file.ts'

/** A file whose content is read again whenever it has changed. */
export interface WatchedFile<T> {
  /** What the file says at this moment. While it is bad, what it said before. */
  current(): T
}

export interface WatchOptions<T> {
  /** Reads the text of the file, undefined when there is no file; throws when it is bad. */
  parse(text: string | undefined): T
  /** Told once for each change that made the file bad. */
  onProblem(error: SluiceError): void
}

/**
 * Opens a file, and throws when it is bad already. Each use looks at the file's state, which takes some microseconds:
 * so a change holds for the very next request, and there is no watcher that could miss it.
 */
export function watchFile<T>(path: string, options: WatchOptions<T>): WatchedFile<T> {
  let stamp = stampOf(path)
  let text = readIfThere(path)
  let value = options.parse(text)
  let problem: string | undefined

  function reload(): void {
    const found = stampOf(path)
    if (stamp.isSettled && found.mark === stamp.mark) return
    const next = readIfThere(path)
    stamp = found // taken before reading: what changes meanwhile is seen the next time
    if (next === text) return
    text = next
    value = options.parse(next)
    problem = undefined
  }

  return {
    current() {
      try {
        reload()
      } catch (cause) {
        const message = `${path} cannot be read.`
        const error = cause instanceof SluiceError ? cause : new SluiceError('bad_config', { message, cause })
        if (error.message !== problem) options.onProblem(error)
        problem = error.message
      }
      return value
    },
  }
}

interface Stamp {
  readonly mark: string
  /** File times advance in steps of some milliseconds: two writes within one step look the same. */
  readonly isSettled: boolean
}

const settledAfterMs = 100

function stampOf(path: string): Stamp {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (stat === undefined) return { mark: '', isSettled: true }
  return {
    mark: `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`,
    isSettled: Math.abs(Date.now() - Number(stat.ctimeMs)) > settledAfterMs,
  }
}
