import { formatCursor, SluiceError } from '@sluice/protocol'
import { createSubscriber } from '../../../kernel/fan-out/subscriber.ts'
import { dialectView } from '../../../kernel/fan-out/view-spec.ts'
import { wsFormat } from '../../../kernel/fan-out/wire-format.ts'
import { deletionOf } from '../../../kernel/sessions/hide-deletion.ts'
import { parseAfter, parseCoalescing, toSessionParam } from '../../http/parameters.ts'
import { enter, outcomeOf } from '../open-stream.ts'
import { assertFree, type ClientSocket, sendError } from './client-socket.ts'
import type { ClientMessage } from './messages.ts'

/** Reads a session over a connection, from the place that the client requests. */
export async function subscribe(
  line: ClientSocket,
  message: Extract<ClientMessage, { type: 'subscribe' }>,
): Promise<void> {
  const { backend, caller, ws, outbox, readings, moved } = line
  const { ref } = message
  assertFree(line, ref)
  const dialect = backend.kernel.dialect(message.dialect ?? 'sluice')
  const coalescing = message.coalesce === undefined ? undefined : parseCoalescing(message.coalesce)
  const spec = dialectView(dialect, coalescing)
  const after = parseAfter(message.after ?? '-1')
  const { id } = toSessionParam(message.session, message.agent)
  const session = await backend.kernel.reach(caller, id, 'subscribe')
  const { entered, gap } = await enter(session, { spec, after, media: 'ws' })
  if (ws.readyState !== ws.OPEN) return
  const release = backend.readings.enter(caller.subject)
  outbox.send({
    type: 'subscribed',
    ref,
    session: session.id,
    head: formatCursor({ seq: session.lastSeq }),
  })
  if (gap !== undefined) outbox.send({ type: 'gap', ref, ...gap })
  const reader = {
    reset: () => {
      subscriber.close()
      sendError(line, ref, deletionOf(id))
    },
  }
  const subscriber = createSubscriber({
    session,
    spec,
    clock: backend.kernel.clock,
    sliceBytes: backend.kernel.config.limits.sliceBytes,
    connection: {
      format: wsFormat,
      write: (bytes, slice) => outbox.sendFrames(ref, bytes, slice),
      isBusy: () => outbox.sending !== undefined && outbox.sending !== ref,
      heartbeat: (cursor) => {
        if (cursor !== undefined) moved.set(ref, cursor)
      },
      finish: ({ cursor }) => outbox.send({ type: 'end', ref, cursor, outcome: outcomeOf(session) }),
      reset: (cause) => sendError(line, ref, isDeletion(cause) ? deletionOf(id) : unreadable()),
    },
    onDelivered: backend.kernel.deliveries.of('ws', dialect.id).add,
    onClosed: () => {
      release()
      readings.delete(ref)
      // Half a message cannot be taken back, so the client has to reconnect with its cursors.
      if (outbox.sending === ref) ws.terminate()
      session.readers.delete(reader)
      leave()
    },
  })
  const leave = backend.kernel.subscribers.enrol({
    transport: 'ws',
    reader: subscriber,
    isAllowed: () => true, // checked once for the whole connection
    reset: () => ws.terminate(),
    drain: () => {},
  })
  readings.set(ref, subscriber)
  session.readers.add(reader)
  subscriber.start(entered)
}

function isDeletion(cause: unknown): boolean {
  return cause instanceof SluiceError && cause.code === 'session_deleted'
}

function unreadable(): SluiceError {
  const message = 'The session cannot be read; try again from the last cursor.'
  return new SluiceError('storage_failed', { message })
}
