import { omitUndefined, SluiceError } from '@sluice/protocol'
import { createListWatch, seenBy } from '../../../kernel/sessions/list-watch.ts'
import type { SessionQuery } from '../../../kernel/sessions/session-list.ts'
import { defaultLimit } from '../routes/list-sessions.ts'
import { assertFree, type ClientSocket, type Reading, sendError } from './client-socket.ts'
import type { ClientMessage } from './messages.ts'

type Watch = Extract<ClientMessage, { type: 'watch' }>

/** Limited, because every change of a session is checked against each watch. */
const maxWatches = 32

/** Follows the list of sessions over a connection. */
export async function watch(line: ClientSocket, message: Watch): Promise<void> {
  const { backend, caller, outbox, readings, watches } = line
  const { ref } = message
  assertFree(line, ref)
  if (watches.size >= maxWatches)
    throw new SluiceError('too_many_connections', {
      message: `The connection follows the list of sessions ${maxWatches} times already.`,
    })
  const release = backend.readings.enter(caller.subject)
  const list = createListWatch({
    log: backend.kernel.log,
    directory: backend.kernel.directory,
    query: toQuery(message),
    isVisible: seenBy(caller),
    wire: {
      isFree: () => !outbox.isFull && outbox.sending === undefined,
      begin: () => outbox.send({ type: 'watching', ref }),
      sessions: (sessions) => outbox.send({ type: 'sessions', ref, sessions }),
      ready: () => outbox.send({ type: 'ready', ref }),
      deleted: (id) => outbox.send({ type: 'deleted', ref, id }),
      fail(error) {
        reading.close()
        sendError(line, ref, error)
      },
    },
  })
  const reading: Reading = {
    drained: list.drained,
    get isStalled() {
      return list.isStalled
    },
    close() {
      release()
      list.close()
      readings.delete(ref)
      watches.delete(ref)
    },
  }
  // Before the first page is read, so that a client that leaves meanwhile is noticed.
  readings.set(ref, reading)
  watches.add(ref)
  try {
    await list.start()
  } catch (error) {
    reading.close()
    throw error
  }
}

function toQuery({ q, state, context, labels }: Watch): SessionQuery {
  return {
    limit: defaultLimit,
    labels: Object.entries(labels ?? {}),
    // As in a query string, an empty context does not filter.
    ...omitUndefined({ state, context: context || undefined, text: q }),
  }
}
