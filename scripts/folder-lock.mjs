import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

const HEARTBEAT_MS = 1000
const POLL_MS = 200
/**
 * Polls without a heartbeat after which a holder counts as gone: half a minute of the waiter's own time, so
 * that neither clocks nor a sleeping machine matter.
 */
const SILENT_POLLS = 150

/**
 * Waits until no other process holds the lock file at `path`, then holds it until `release` or the end of
 * this process. A holder that was killed does not block: its process is gone, or its heartbeat stops.
 */
export async function acquireLock(path, { onWait = () => {} } = {}) {
  const token = randomUUID()
  const describe = (child) => JSON.stringify({ pid: process.pid, child, host: hostname(), token })
  const isMine = () => read(path)?.text.includes(token) ?? false

  await waitFor(path, describe(), token, onWait)
  const beat = setInterval(() => {
    if (isMine()) utimesSync(path, new Date(), new Date())
  }, HEARTBEAT_MS)
  beat.unref()

  const release = () => {
    clearInterval(beat)
    process.off('exit', release)
    if (isMine()) rmSync(path, { force: true })
  }
  process.on('exit', release)

  return {
    release,
    /** Names a process that works for the holder: while it lives, the lock outlives a killed holder. */
    adopt(child) {
      if (!isMine()) return
      writeFileSync(`${path}.${token}`, describe(child))
      renameSync(`${path}.${token}`, path)
    },
  }
}

async function waitFor(path, text, token, onWait) {
  let last = ''
  let silentPolls = 0
  let told = false
  while (!create(path, text)) {
    const holder = read(path)
    if (holder === undefined) continue
    const mark = `${holder.mtimeMs} ${holder.text}`
    silentPolls = mark === last ? silentPolls + 1 : 0
    last = mark
    if (isGone(holder.text) || silentPolls >= SILENT_POLLS) {
      evict(path, holder.text, token)
      continue
    }
    if (!told) onWait()
    told = true
    await sleep(POLL_MS)
  }
}

function create(path, text) {
  try {
    writeFileSync(path, text, { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function read(path) {
  try {
    return { text: readFileSync(path, 'utf8'), mtimeMs: statSync(path).mtimeMs }
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

function isGone(text) {
  let holder
  try {
    holder = JSON.parse(text)
  } catch {
    return false // written only in part so far; if it stays so, its heartbeat never comes
  }
  if (holder.host !== hostname()) return false
  return !isAlive(holder.pid) && (holder.child === undefined || !isAlive(holder.child))
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}

/** Removes the lock if it is still the one judged as gone: of two waiters that judge alike, one is late. */
function evict(path, text, token) {
  const aside = `${path}.${token}`
  try {
    renameSync(path, aside)
  } catch {
    return
  }
  if (readFileSync(aside, 'utf8') !== text) {
    try {
      linkSync(aside, path)
    } catch {
      // a third process holds the lock already
    }
  }
  rmSync(aside, { force: true })
}
