import { rm } from 'node:fs/promises'
import { makeDirectory } from '../harness/servers.mjs'
import { startChild } from '../harness/start-child.mjs'
import { textOf } from './shapes.mjs'

/** How many runs are under way at once. */
export const manyRuns = 100

/** A process that reads the printer in one way; only as bytes can it read many at once. */
export async function startReader(way) {
  const reader = await startChild('agents/reader.mjs')
  return {
    read: (shape) => measure(reader, () => reader.ask('read', { way, shape })),
    ...(way === 'bytes'
      ? { readMany: (shape) => measure(reader, () => reader.ask('readMany', { shape, count: manyRuns })) }
      : {}),
    stop: reader.end,
  }
}

/** A gateway with its own data directory that runs the printer. */
export async function startGateway() {
  const directory = await makeDirectory()
  const gateway = await startChild('agents/gateway.mjs')
  const load = await startChild('load/agents.mjs')
  const { port } = await gateway.ask('start', { directory, concurrency: manyRuns })

  const run = async (shape, count) => {
    let sessions = []
    const used = await measure(gateway, async () => {
      sessions = await load.ask('begin', { port, shape, count })
      await gateway.ask('ended', { count })
    })
    for (const session of sessions) {
      const found = await gateway.ask('textIn', { session })
      if (found !== textOf(shape)) throw new Error(`${found} of ${textOf(shape)} characters were stored`)
    }
    return used
  }

  return {
    isStored: true,
    read: (shape) => run(shape, 1),
    readMany: (shape) => run(shape, manyRuns),
    async stop() {
      await load.ask('close')
      await load.end()
      await gateway.ask('stop')
      await gateway.end()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** The processor time of a process, and the wall time, while `work` runs. */
async function measure(child, work) {
  const before = await child.ask('usage')
  await work()
  const after = await child.ask('usage')
  return { cpuMs: after.cpuMs - before.cpuMs, wallMs: after.wallMs - before.wallMs }
}
