import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createAuthenticator,
  createGateway,
  createLogger,
  createMetrics,
  createSecretStore,
  defaultConfig,
  type GatewayConfig,
  type GatewayParts,
  openSigningKeys,
  type SigningKeys,
  watchKeyFile,
} from '@sluice/gateway'
import { addKey, addSigningKey, revokeKey, signingKeyFileOf } from '@sluice/gateway/admin'
import { createMemoryLog, type Log } from '@sluice/log'
import { type Clock, createSystemClock, omitUndefined } from '@sluice/protocol'

/** The credential that may do everything. */
export const localKey = `sluice_local_${'k'.repeat(43)}`

export interface StartedGateway {
  readonly url: string
  readonly port: number
  readonly routes: readonly string[]
  /** The log lines that report an unexpected failure. */
  readonly failures: readonly string[]
  /** Adds an API key for a subject. */
  addKey(
    subject: string,
    grants: readonly string[],
    more?: { readonly expiresAt?: number; readonly agent?: string },
  ): string
  revokeKey(key: string): void
  close(): Promise<void>
}

export interface GatewayOverrides extends Partial<Omit<GatewayConfig, 'limits' | 'agents'>> {
  readonly limits?: Partial<GatewayConfig['limits']>
  readonly log?: Log
  readonly clock?: Clock
  readonly agents?: NonNullable<GatewayParts['agents']>
  /** Whether it has a key to sign its AAEP manifest. */
  readonly isSigned?: boolean
}

/** A gateway in this process on a free loopback port; by default with keys in a file and a log in memory. */
export async function startGateway(overrides: GatewayOverrides = {}): Promise<StartedGateway> {
  const {
    limits,
    log = createMemoryLog(),
    clock = createSystemClock(),
    agents,
    isSigned,
    ...config
  } = overrides
  const folder = mkdtempSync(join(tmpdir(), 'sluice-hostile-'))
  const keyFile = join(folder, 'keys.json')
  const failures: string[] = []
  const note = (line: string): void => {
    if (/"status":500|"code":"internal"|a (WebSocket )?request failed/.test(line)) failures.push(line)
  }
  const gateway = createGateway({
    config: {
      ...defaultConfig,
      port: 0,
      drainMs: 1000,
      auth: { keys: keyFile, jwt: [] },
      ...config,
      limits: { ...defaultConfig.limits, ...limits },
    },
    log,
    clock,
    logger: createLogger({ level: 'warn', destination: { write: note } }),
    metrics: createMetrics(),
    console: writeConsole(folder),
    ...omitUndefined({ agents }),
    ...(isSigned === true ? { signingKeys: makeSigningKeys(folder, clock) } : {}),
    authenticator: createAuthenticator({
      clock,
      secrets: createSecretStore(),
      localKey,
      keys: watchKeyFile(keyFile, { clock, onProblem: (error) => failures.push(error.message) }),
    }),
  })
  const { url, port } = await gateway.listen()
  return {
    url,
    port,
    routes: gateway.routes,
    failures,
    addKey: (subject, grants, more = {}) =>
      addKey(keyFile, { subject, grants, createdAt: clock.now(), ...more }).key,
    revokeKey: (key) => void revokeKey(keyFile, key.split('_')[1] ?? ''),
    async close() {
      await gateway.close()
      await log.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function makeSigningKeys(folder: string, clock: Clock): SigningKeys {
  addSigningKey(signingKeyFileOf(folder), clock.now())
  return openSigningKeys(folder, {
    clock,
    onProblem(error) {
      throw error
    },
  })
}

/** The parts of a console that its routes need. */
function writeConsole(folder: string): string {
  const directory = join(folder, 'console')
  mkdirSync(join(directory, 'assets'), { recursive: true })
  writeFileSync(join(directory, 'index.html'), '<!doctype html><title>Console</title>')
  writeFileSync(join(directory, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(directory, 'assets', 'index-00000000.js'), '// nothing\n')
  return directory
}
