import { decodeRecord, exportLog } from '@sluice/log'
import { createSessionState, encodeNdjson, SluiceError, startCursor } from '@sluice/protocol'
import { dialectById, isSessionId } from '@sluice/protocol/dialects'

/**
 * The entries of these sessions, or of all, as lines of the dialect `sluice`, which `convert` and `validate`
 * read. Throws `unknown_session` after the last line when a named session has no entry.
 */
export async function* exportLines(directory: string, sessions: readonly string[]): AsyncGenerator<string> {
  const { encode } = dialectById('sluice')
  const missing = new Set(sessions)
  let open: { readonly session: string; readonly state: unknown } | undefined
  for await (const { session, record } of exportLog(
    directory,
    sessions.length === 0 ? undefined : sessions,
  )) {
    // The log also holds internal data of the gateway, which is not a session.
    if (!isSessionId(session)) continue
    missing.delete(session)
    if (open?.session !== session)
      open = { session, state: encode.enter(createSessionState({ id: session }), startCursor).state }
    const { state, frames } = encode.step(open.state, decodeRecord(record.bytes))
    open = { session, state }
    yield frames.map(({ data }) => encodeNdjson(data)).join('')
  }
  if (missing.size > 0)
    throw new SluiceError('unknown_session', {
      message: `There are no entries of session ${[...missing].join(', ')}.`,
    })
}
