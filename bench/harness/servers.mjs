import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from './start-child.mjs'

/** Every measured server: its module, its options, and the target that talks to it (load/targets.mjs). */
export const servers = {
  sluice: { module: 'servers/gateway.mjs', options: { store: 'lmdb' }, target: 'sluice' },
  'floor, file': { module: 'servers/floor.mjs', options: { store: 'file' }, target: 'floor' },
  'floor, same log': { module: 'servers/floor.mjs', options: { store: 'lmdb' }, target: 'floor' },
  'durable-streams, memory': {
    module: 'servers/durable-streams.mjs',
    options: {},
    target: 'durable-streams',
  },
  'durable-streams, file': {
    module: 'servers/durable-streams.mjs',
    options: { store: 'file' },
    target: 'durable-streams',
  },
}

/** Starts a server on its own data directory, or on a given one. */
export async function startServer(name, { options = {}, execArgv, directory } = {}) {
  const { module, options: own, target } = servers[name]
  const data = directory ?? (await makeDirectory())
  const child = await startChild(module, execArgv === undefined ? {} : { execArgv })
  const { port } = await child.ask('start', { ...own, ...options, directory: data })
  return {
    name,
    target,
    port,
    directory: data,
    ask: child.ask,
    usage: () => child.ask('usage'),
    /** Stops the server. A directory from the caller keeps its data. */
    async stop() {
      await child.ask('stop')
      await child.end()
      if (directory === undefined) await rm(data, { recursive: true, force: true })
    },
  }
}

/** A directory for durable data, in SLUICE_BENCH_DATA if set. A disk in memory would flatter the results. */
export function makeDirectory() {
  return mkdtemp(join(process.env.SLUICE_BENCH_DATA ?? tmpdir(), 'data-'))
}
