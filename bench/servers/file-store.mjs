import { close, fdatasync, open, write } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * One file that records are appended to, each durable when its append resolves. What comes while a commit is under way
 * is the next commit: one write and one fdatasync for all of it.
 */
export async function openFileStore(directory) {
  const fd = await promisify(open)(join(directory, 'records'), 'a')
  let waiting = []
  let isBusy = false

  function commit() {
    const group = waiting
    waiting = []
    isBusy = group.length > 0
    if (!isBusy) return
    const fail = (error) => {
      for (const { reject } of group) reject(error)
      commit()
    }
    const bytes = group.length === 1 ? group[0].bytes : Buffer.concat(group.map((each) => each.bytes))
    write(fd, bytes, 0, bytes.length, null, (error, written) => {
      if (error !== null || written !== bytes.length) {
        fail(error ?? new Error('a short write'))
        return
      }
      fdatasync(fd, (syncError) => {
        if (syncError !== null) {
          fail(syncError)
          return
        }
        for (const { resolve } of group) resolve()
        commit()
      })
    })
  }

  return {
    /** Appends of one turn of the event loop share a commit. */
    append(_session, bytes) {
      return new Promise((resolve, reject) => {
        waiting.push({ bytes, resolve, reject })
        if (isBusy) return
        isBusy = true
        setImmediate(commit)
      })
    },
    close: () => promisify(close)(fd),
  }
}
