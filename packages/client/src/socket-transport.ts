import { readSignals } from './socket-message.ts'
import type { SocketReadings } from './socket-readings.ts'
import type { Transport } from './transport.ts'

/** Reads sessions over a WebSocket (docs/http-api.md, "WebSocket"). */
export function createSocketTransport(readings: SocketReadings): Transport {
  return async function* read({ session, resource, dialect, coalesce, after }, attempt) {
    const what = {
      request: () => ({ type: 'subscribe', session, dialect, coalesce, after: after() }),
      read: readSignals,
      likewise: () => ({
        path: ['sessions', session, resource],
        query: { dialect, after: after(), limit: '1' },
      }),
    }
    for await (const signals of readings(what, attempt)) {
      const [first] = signals
      attempt.opened(first?.type === 'begun' ? first.head : undefined)
      yield signals
    }
  }
}
