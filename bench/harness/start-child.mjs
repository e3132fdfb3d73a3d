import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

// Standard output is for results, so what a child logs there is dropped.
const stdio = ['ignore', 'ignore', 'inherit', 'ipc']

/** Starts a module of this folder in a separate process; `ask` calls its handlers. */
export async function startChild(module, { execArgv = [] } = {}) {
  const file = fileURLToPath(new URL(`../${module}`, import.meta.url))
  const child = fork(file, {
    execArgv: [...profilingOf(module), ...execArgv],
    serialization: 'advanced',
    stdio,
  })
  const waiting = new Map()
  let nextId = 0
  let exited
  child.on('message', ({ id, answer, failure }) => {
    const { resolve, reject } = waiting.get(id) ?? {}
    waiting.delete(id)
    if (failure === undefined) resolve?.(answer)
    else reject?.(new Error(`${module}: ${failure}`))
  })
  child.on('exit', (code, signal) => {
    exited = new Error(`${module} ended (${signal ?? code})`)
    for (const { reject } of waiting.values()) reject(exited)
  })
  await once(child, 'message')

  const ask = (name, given) =>
    new Promise((resolve, reject) => {
      if (exited !== undefined) {
        reject(exited)
        return
      }
      const id = nextId++
      waiting.set(id, { resolve, reject })
      child.send({ id, ask: name, given })
    })

  return {
    ask,
    async end() {
      if (exited !== undefined) return
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
    /** Like a power failure: nothing is closed. */
    async kill() {
      if (exited !== undefined) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

/** SLUICE_BENCH_PROFILE names the folder for the processor profiles of servers and agents. */
function profilingOf(module) {
  const folder = process.env.SLUICE_BENCH_PROFILE
  if (folder === undefined || !(module.startsWith('servers/') || module.startsWith('agents/'))) return []
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=500']
}
