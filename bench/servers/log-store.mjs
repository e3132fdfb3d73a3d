import { openLmdbLog } from '@sluice/log'

/** The log of the gateway as a bare store: an append is one record. */
export async function openLogStore(directory) {
  const log = await openLmdbLog({ directory })
  const writers = new Map()

  async function begin(session) {
    const writer = { lease: await log.openWriter(session), nextSeq: 0 }
    writers.set(session, writer)
    return writer
  }

  return {
    async append(session, bytes) {
      const writer = writers.get(session) ?? (await begin(session))
      const firstSeq = writer.nextSeq++
      await log.append({ lease: writer.lease, firstSeq, records: [bytes], at: Date.now() })
    },
    close: () => log.close(),
  }
}
