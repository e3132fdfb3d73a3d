import { SluiceError } from '@sluice/protocol'
import { serveAgents } from '../agents/serve-agents.ts'
import { watchProcesses } from '../agents/watch-processes.ts'
import { type CommandArgs, stringValue } from '../command.ts'
import { findGateway, findUsualData, type GatewayConnection } from '../gateway-connection.ts'
import type { Io } from '../io.ts'
import { loadTrustedConfig } from '../trust/load-trusted-config.ts'

/** The gateway in which a run takes place. */
export interface RunPlace extends GatewayConnection {
  /** Whether it shares this machine's directories. */
  readonly isLocal: boolean
  /** Does not wait for runs: kills their processes, or leaves them to the gateway that hosts them. */
  kill(): void
  close(): Promise<void>
}

/** The named gateway, or the one that runs on the data directory; if none runs, starts a temporary one. */
export async function findOrStart(args: CommandArgs, io: Io, cwd: string): Promise<RunPlace> {
  const isNamed = stringValue(args, 'gateway') !== undefined || io.env['SLUICE_GATEWAY'] !== undefined
  try {
    const found = await findGateway(args, io, cwd)
    return { ...found, isLocal: !isNamed, kill: () => process.exit(130), async close() {} }
  } catch (error) {
    const isNone = error instanceof SluiceError && error.code === 'gateway_unreachable'
    if (!isNone || isNamed) throw error
    return start(args, io, cwd)
  }
}

async function start(args: CommandArgs, io: Io, cwd: string): Promise<RunPlace> {
  const config = await loadTrustedConfig(args, io, { cwd, flags: { data: stringValue(args, 'data') } })
  const data = config.data ?? (await findUsualData(args, io, cwd))
  const served = serveAgents(config.agents, io.env, cwd)
  const processes = watchProcesses(served.agents ?? new Map())
  const { startOwnGateway } = await import('../start-own-gateway.ts')
  const { tls: _tls, ...plain } = config
  const gateway = await startOwnGateway(
    { ...plain, data, host: '127.0.0.1', port: 0, logLevel: 'fatal' },
    { ...served, agents: processes.agents, logTo: io.stderr },
  )
  return {
    url: gateway.url,
    token: gateway.localKey,
    isLocal: true,
    kill: processes.kill,
    close: gateway.close,
  }
}
