import { createServer } from 'node:net'
import { SluiceError } from '@sluice/protocol'

const maxTries = 100

/** The first port from `port` on that nobody listens on; 0 stays 0. */
export async function findFreePort(host: string, port: number): Promise<number> {
  if (port === 0) return 0
  for (let candidate = port; candidate < Math.min(port + maxTries, 65_536); candidate++)
    if (await isFree(host, candidate)) return candidate
  throw new SluiceError('bad_config', { message: `There is no free port on ${host} from ${port} upwards.` })
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(false) : reject(error),
    )
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)))
  })
}
