import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net'

export interface CuttingProxy {
  readonly url: string
  /** How many connections were cut so far. */
  cuts(): number
  close(): Promise<void>
}

/** Where a connection breaks: after this many bytes up to the gateway, or down to the client. */
export interface ProxyCut {
  readonly direction: 'up' | 'down'
  readonly afterBytes: number
}

/**
 * Sits between client and gateway and resets each connection where the next of `cuts` says; once none is
 * left, connections stay open.
 */
export async function startCuttingProxy(targetUrl: string, cuts: readonly ProxyCut[]): Promise<CuttingProxy> {
  const target = new URL(targetUrl)
  const left = [...cuts]
  const sockets = new Set<Socket>()
  let count = 0
  const server = createServer((client) => {
    const gateway = dial(Number(target.port), target.hostname)
    const cut = left.shift()
    let bytes = 0
    const pass = (from: Socket, to: Socket, direction: ProxyCut['direction']) => {
      sockets.add(from)
      from.on('data', (chunk: Buffer) => {
        const isCut = cut?.direction === direction && bytes + chunk.length > cut.afterBytes
        const rest = isCut ? chunk.subarray(0, cut.afterBytes - bytes) : chunk
        if (cut?.direction === direction) bytes += rest.length
        if (isCut) {
          count += 1
          to.write(rest, () => breakOff())
        } else if (!to.write(rest)) from.pause()
      })
      to.on('drain', () => from.resume())
      from.on('end', () => to.end())
      from.on('error', () => breakOff())
      from.on('close', () => sockets.delete(from))
    }
    const breakOff = () => {
      client.resetAndDestroy()
      gateway.resetAndDestroy()
    }
    pass(client, gateway, 'up')
    pass(gateway, client, 'down')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    cuts: () => count,
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
