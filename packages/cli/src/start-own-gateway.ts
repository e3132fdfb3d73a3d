import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type GatewayConfig, type StartedGateway, type StartParts, startGateway } from '@sluice/gateway'
import { createSystemClock, SluiceError } from '@sluice/protocol'
import { removeGatewayFile, writeGatewayFile } from './gateway-file.ts'

/** A configuration with a data directory. */
export type ServedConfig = GatewayConfig & { readonly data: string }

/**
 * Starts a gateway with the console on a data directory, where the other commands find it. Rejects with `bad_config`,
 * `data_in_use`, `address_in_use`, or the error of opening the data.
 */
export async function startOwnGateway(config: ServedConfig, parts: StartParts = {}): Promise<StartedGateway> {
  const { data } = config
  const gateway = await startGateway(config, { ...findConsole(), ...parts }).catch((error: unknown) => {
    throw withHint(error)
  })
  const forget = (): void => removeGatewayFile(data)
  const close = async (): Promise<void> => {
    forget()
    process.off('exit', forget)
    await gateway.close()
  }
  process.once('exit', forget)
  const { url, localKey } = gateway
  try {
    const place = {
      url,
      pid: process.pid,
      startedAt: createSystemClock().now(),
      tls: config.tls !== undefined,
    }
    await writeGatewayFile(data, place, localKey)
    return { ...gateway, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The console is among the compiled files, even when the sources run. It may be missing. */
function findConsole(): { readonly console?: string } {
  const page = new URL('../dist/console/index.html', import.meta.url)
  return existsSync(page) ? { console: fileURLToPath(new URL('.', page)) } : {}
}

/** Names the option that helps when a port is taken. The message about a Unix domain socket needs no hint. */
function withHint(error: unknown): unknown {
  if (!(error instanceof SluiceError && error.code === 'address_in_use')) return error
  const { host, port } = error.details ?? {}
  if (port === undefined) return error
  return new SluiceError('address_in_use', {
    message: `Port ${port} on ${host} is already in use. Choose another with --port, or any free one with --port 0.`,
    cause: error,
  })
}
