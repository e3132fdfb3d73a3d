import { decodeRecord, exportLog, type LogLoss } from '@sluice/log'
import { createSessionState, type Entry, encodeNdjson, SluiceError, startCursor } from '@sluice/protocol'
import { dialectById, isSessionId } from '@sluice/protocol/dialects'

export interface ExportTarget {
  /** All if there are none. */
  readonly sessions: readonly string[]
  /** Called with everything that cannot be read. */
  readonly onLoss: (loss: LogLoss) => void
}

/**
 * The entries of these sessions, or of all, as lines of the dialect `sluice`, which `convert` and `validate`
 * read. Throws `unknown_session` after the last line when a named session has no entry.
 */
export async function* exportLines(
  directory: string,
  { sessions, onLoss }: ExportTarget,
): AsyncGenerator<string> {
  const { encode } = dialectById('sluice')
  const missing = new Set(sessions)
  let open: { readonly session: string; readonly state: unknown } | undefined
  const options = { sessions: sessions.length === 0 ? undefined : sessions, onLoss }
  for await (const { session, record } of exportLog(directory, options)) {
    // The log also holds internal data of the gateway, which is not a session.
    if (!isSessionId(session)) continue
    missing.delete(session)
    if (open?.session !== session)
      open = { session, state: encode.enter(createSessionState({ id: session }), startCursor).state }
    let entry: Entry
    try {
      entry = decodeRecord(record.bytes)
    } catch {
      const { seq, bytes } = record
      onLoss({
        session,
        fromSeq: seq,
        toSeq: seq,
        bytes: bytes.byteLength,
        message: 'the entry cannot be read',
      })
      continue
    }
    const { state, frames } = encode.step(open.state, entry)
    open = { session, state }
    yield frames.map(({ data }) => encodeNdjson(data)).join('')
  }
  if (missing.size > 0)
    throw new SluiceError('unknown_session', {
      message: `There are no entries of session ${[...missing].join(', ')}.`,
    })
}
