import { openLmdbLog } from '@sluice/log'

/** The log of the gateway as a bare store: an append is one record. The options are those of the log. */
export async function openLogStore(directory, options = {}) {
  const log = await openLmdbLog({ directory, ...options })
  const writers = new Map()

  const begin = async (session) => {
    const writer = { lease: await log.openWriter(session), nextSeq: 0 }
    writers.set(session, writer)
    return writer
  }
  const write = (writer, bytes) =>
    log.append({ lease: writer.lease, firstSeq: writer.nextSeq++, records: [bytes], at: Date.now() })

  return {
    append(session, bytes) {
      const writer = writers.get(session)
      return writer === undefined ? begin(session).then((begun) => write(begun, bytes)) : write(writer, bytes)
    },
    close: () => log.close(),
  }
}
