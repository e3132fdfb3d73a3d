// A gateway with its default settings, except for the limits per client: the load comes from one address.

import {
  createAuthenticator,
  createGateway,
  createLogger,
  createMetrics,
  createSecretStore,
  defaultConfig,
} from '@sluice/gateway'
import { createMemoryLog, openLmdbLog } from '@sluice/log'
import { answerParent } from '../harness/answer-parent.mjs'
import { usageHandlers } from '../harness/usage.mjs'

const clock = {
  now: () => Date.now(),
  monotonic: () => Math.floor(performance.now()),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    timer.unref()
    return { clear: () => clearTimeout(timer) }
  },
}

let gateway
let log

answerParent({
  ...usageHandlers,
  async start({ store, directory, limits, logOptions }) {
    const unbounded = { connections: 100_000, connectionsPerSubject: 100_000, requestsPerSecond: 10_000_000 }
    const config = {
      ...defaultConfig,
      port: 0,
      limits: { ...defaultConfig.limits, ...unbounded, ...limits },
      aaep: { ...defaultConfig.aaep, subscriptions: 100_000, subscriptionsPerSubject: 100_000 },
    }
    log =
      store === 'memory' ? createMemoryLog({ clock }) : await openLmdbLog({ directory, clock, ...logOptions })
    const authenticator = createAuthenticator({ clock, secrets: createSecretStore() })
    const logger = createLogger({ level: 'warn' })
    gateway = createGateway({ config, log, clock, logger, metrics: createMetrics(), authenticator })
    const { port } = await gateway.listen()
    return { port }
  },
  async stop() {
    await gateway.close()
    await log.close()
  },
})
