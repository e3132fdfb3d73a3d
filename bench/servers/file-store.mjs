import { close, fdatasync, open, write } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** u32 bytes of the record · u8 bytes of the session */
const headBytes = 5

/**
 * One file that records of sessions are appended to, each durable when its append resolves. Records that
 * arrive during a commit make up the next one: one write and one fdatasync for all of them.
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
    const bytes = toCommit(group)
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
    /** Appends in one turn of the event loop share a commit. */
    append(session, record) {
      return new Promise((resolve, reject) => {
        waiting.push({ session, record, resolve, reject })
        if (isBusy) return
        isBusy = true
        setImmediate(commit)
      })
    },
    close: () => promisify(close)(fd),
  }
}

/** The records of a commit one after the other, each with its length and its session. */
function toCommit(group) {
  let size = 0
  for (const { session, record } of group) size += headBytes + session.length + record.length
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  for (const { session, record } of group) {
    bytes.writeUInt32LE(record.length, at)
    bytes[at + 4] = session.length
    bytes.latin1Write(session, at + headBytes, session.length)
    at += headBytes + session.length
    bytes.set(record, at)
    at += record.length
  }
  return bytes
}
