// A gateway with its default settings that serves a page of this suite.

import {
  createAuthenticator,
  createGateway,
  createLogger,
  createMetrics,
  createSecretStore,
  defaultConfig,
} from '@sluice/gateway'
import { openLmdbLog } from '@sluice/log'
import { clock } from '../agents/clock.mjs'
import { answerParent } from '../harness/answer-parent.mjs'

let gateway
let log

answerParent({
  async start({ directory, page }) {
    log = await openLmdbLog({ directory, clock })
    gateway = createGateway({
      config: { ...defaultConfig, port: 0 },
      log,
      clock,
      logger: createLogger({ level: 'warn' }),
      metrics: createMetrics(),
      authenticator: createAuthenticator({ clock, secrets: createSecretStore() }),
      console: page,
    })
    return gateway.listen()
  },
  async stop() {
    await gateway.close()
    await log.close()
  },
})
