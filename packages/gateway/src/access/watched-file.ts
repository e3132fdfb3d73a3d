import { statSync } from 'node:fs'
import { type Clock, SluiceError } from '@sluice/protocol'
import { readIfThere } from './private-file.ts'

/** A file that is read again whenever it has changed. */
export interface WatchedFile<T> {
  /** The current content of the file; while the file is bad, its last good content. */
  current(): T
}

export interface WatchParts {
  readonly clock: Clock
  /** Called once for each change that made the file bad. */
  onProblem(error: SluiceError): void
}

export interface WatchOptions<T> extends WatchParts {
  /** Parses the text of the file, undefined without a file; throws when it is bad. */
  parse(text: string | undefined): T
}

/**
 * File times advance in steps of some milliseconds: two writes within one step look the same. A state of the file that
 * is older than this has been read for good.
 */
const settledAfterMs = 100

/**
 * Opens a file, and throws if it is already bad. Each use checks the state of the file, which takes some microseconds:
 * a change takes effect with the next request, and there is no watcher that could miss it.
 */
export function watchFile<T>(path: string, { clock, parse, onProblem }: WatchOptions<T>): WatchedFile<T> {
  let mark = markOf(path)
  let seenAt = clock.monotonic()
  let isSettled = false
  let text = readIfThere(path)
  let value = parse(text)
  let problem: string | undefined

  function reload(): void {
    const found = markOf(path) // before reading, so that a change in between is noticed next time
    if (isSettled && found === mark) return
    const now = clock.monotonic()
    const next = readIfThere(path)
    isSettled = found === mark && now - seenAt > settledAfterMs
    if (found !== mark) seenAt = now
    mark = found
    if (next === text) return
    text = next
    value = parse(next)
    problem = undefined
  }

  return {
    current() {
      try {
        reload()
      } catch (cause) {
        const message = `${path} cannot be read.`
        const error = cause instanceof SluiceError ? cause : new SluiceError('bad_config', { message, cause })
        if (error.message !== problem) onProblem(error)
        problem = error.message
      }
      return value
    },
  }
}

function markOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`
}
