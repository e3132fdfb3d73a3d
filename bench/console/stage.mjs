import { startChild } from '../harness/start-child.mjs'

/** A gateway that serves a page from a data directory, and an agent that publishes to it. */
export async function startStage(directory, page) {
  const gateway = await startChild('console/gateway.mjs')
  const { url } = await gateway.ask('start', { directory, page: page.directory })
  const load = await startChild('console/load.mjs')
  await load.ask('connect', { url })
  return {
    url,
    /** Publishes so many entries of a session, which ends with the last one if it shall. */
    fill: (given) => load.ask('fill', given),
    /** Publishes so many more entries at a pace; answers the number of the last one. */
    stream: (given) => load.ask('stream', given),
    async stop() {
      await load.ask('close')
      await load.end()
      await gateway.ask('stop')
      await gateway.end()
    },
  }
}
