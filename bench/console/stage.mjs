import { startChild } from '../harness/start-child.mjs'

/** A gateway that serves a page from a data directory, and an agent that publishes to it. */
export async function startStage(directory, page) {
  const gateway = await startChild('console/gateway.mjs')
  const { url } = await gateway.ask('start', { directory, page: page.directory })
  const load = await startChild('console/load.mjs')
  await load.ask('connect', { url })
  return {
    url,
    /** Publishes entries until a session has `count`; with `isEnded`, the last one ends it. */
    fill: (given) => load.ask('fill', given),
    /** Publishes `count` more entries at a given pace; returns the number of the last one. */
    stream: (given) => load.ask('stream', given),
    async stop() {
      await load.ask('close')
      await load.end()
      await gateway.ask('stop')
      await gateway.end()
    },
  }
}
