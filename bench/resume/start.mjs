import { rm } from 'node:fs/promises'
import { makeDirectory, startServer } from '../harness/servers.mjs'
import { startChild } from '../harness/start-child.mjs'

/** The time a gateway with many sessions needs to its first answers: after a clean shutdown and a kill. */
export async function measureStart(sessions, runs) {
  const directory = await makeDirectory()
  const filler = await startChild('resume/fill-sessions.mjs')
  await filler.ask('fill', { directory, sessions })
  const clean = await measureStarts(directory, runs)
  // The last records have not been regrouped then, and are read at the start.
  await filler.ask('leaveTail', { directory, sessions: Math.min(sessions, 10_000) })
  await filler.kill()
  const killed = await measureStarts(directory, 1)
  await rm(directory, { recursive: true, force: true })
  return [
    { label: 'start with {sessions} sessions in the log, until it listens', ...clean.listen },
    { label: 'the same, its first page of sessions', ...clean.list },
    { label: 'the same after a kill, with a tail that is not regrouped, until it listens', ...killed.listen },
  ]
}

async function measureStarts(directory, runs) {
  const listen = { ms: [], cpuMs: [] }
  const list = { ms: [] }
  for (let run = 0; run < runs; run++) {
    const start = performance.now()
    const server = await startServer('sluice', { directory })
    listen.ms.push(performance.now() - start)
    listen.cpuMs.push((await server.usage()).cpuMs)
    const asked = performance.now()
    const answer = await fetch(`http://127.0.0.1:${server.port}/v1/sessions?limit=50`)
    const page = await answer.json()
    if (page.sessions.length !== 50) throw new Error(`${page.sessions.length} sessions on the first page`)
    list.ms.push(performance.now() - asked)
    await server.stop()
  }
  return { listen, list }
}
