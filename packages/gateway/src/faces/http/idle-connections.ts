import type { Socket } from 'node:net'

/**
 * The connections without a counted request, such as those that are kept alive or have sent nothing yet. When
 * there are too many, those that were idle for longest are closed: first those of the address that has the
 * most. Clients expect that of idle connections, so a stranger who opens many loses his own.
 */
export interface IdleConnections {
  add(socket: Socket): void
  /** A request or a WebSocket uses a connection until the returned function is called. */
  enter(socket: Address): () => void
}

/** What tells connections apart: with TLS, a request has another socket than its connection. */
type Address = Pick<Socket, 'remoteAddress' | 'remotePort'>

interface Connection {
  readonly socket: Socket
  readonly address: string
  uses: number
}

export function createIdleConnections(limits: {
  readonly idleConnections: number
  readonly idleConnectionsPerAddress: number
}): IdleConnections {
  const connections = new Map<string, Connection>()
  /** By address, each in the order in which they became idle. */
  const idle = new Map<string, Set<Connection>>()
  let size = 0

  const rest = (connection: Connection): void => {
    const own = idle.get(connection.address) ?? new Set()
    idle.set(connection.address, own.add(connection))
    size += 1
    if (own.size > limits.idleConnectionsPerAddress) close(own)
    else if (size > limits.idleConnections) close(most())
  }

  const wake = (connection: Connection): void => {
    const own = idle.get(connection.address)
    if (own?.delete(connection) !== true) return
    size -= 1
    if (own.size === 0) idle.delete(connection.address)
  }

  /** The connections of the address that has the most. */
  const most = (): ReadonlySet<Connection> | undefined => {
    let found: ReadonlySet<Connection> | undefined
    for (const own of idle.values()) if (own.size > (found?.size ?? 0)) found = own
    return found
  }

  const close = (own: ReadonlySet<Connection> | undefined): void => {
    for (const connection of own ?? []) {
      wake(connection)
      connection.socket.destroy()
      return
    }
  }

  return {
    add(socket) {
      const key = keyOf(socket)
      const connection: Connection = { socket, address: socket.remoteAddress ?? '', uses: 0 }
      connections.set(key, connection)
      socket.once('close', () => {
        wake(connection)
        if (connections.get(key) === connection) connections.delete(key)
      })
      rest(connection)
    },
    enter(socket) {
      const connection = connections.get(keyOf(socket))
      if (connection === undefined) return () => {}
      if (connection.uses === 0) wake(connection)
      connection.uses += 1
      let isUsed = true
      return () => {
        if (!isUsed) return
        isUsed = false
        connection.uses -= 1
        if (connection.uses === 0 && !connection.socket.destroyed) rest(connection)
      }
    },
  }
}

function keyOf({ remoteAddress, remotePort }: Address): string {
  return `${remoteAddress} ${remotePort}`
}
