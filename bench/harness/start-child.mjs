import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

// Standard output is for results: what a peer logs there is not shown.
const stdio = ['ignore', 'ignore', 'inherit', 'ipc']

/** Starts a module of this folder in a process of its own, to be asked for what its handlers do. */
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
    /** As the power failing: nothing is closed. */
    async kill() {
      if (exited !== undefined) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

/** SLUICE_BENCH_PROFILE names the folder into which servers write processor profiles. */
function profilingOf(module) {
  const folder = process.env.SLUICE_BENCH_PROFILE
  if (folder === undefined || !(module.startsWith('servers/') || module.startsWith('agents/'))) return []
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=500']
}
