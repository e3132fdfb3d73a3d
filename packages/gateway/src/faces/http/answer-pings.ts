import type { OpenSocket } from './open-socket.ts'

/**
 * Answers the pings of a peer. While it takes no data, only the latest one waits for its pong, as
 * RFC 6455 §5.5.3 allows: the pongs to a peer that never reads would take all memory.
 */
export function answerPings({ ws, socket }: OpenSocket): void {
  let latest: Buffer | undefined
  ws.on('ping', (data: Buffer) => {
    // A copy: `data` is a part of everything that was read with it.
    if (socket.writableNeedDrain) latest = Buffer.from(data)
    else ws.pong(data)
  })
  socket.on('drain', () => {
    if (latest !== undefined && ws.readyState === ws.OPEN) ws.pong(latest)
    latest = undefined
  })
}
