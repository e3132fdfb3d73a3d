import { createMemoryLog } from '@sluice/log'
import type { Clock } from '@sluice/protocol'
import { expect, test } from 'vitest'
import { createAuthenticator } from './auth/authenticator.ts'
import { createSecretStore } from './auth/secrets.ts'
import { defaultConfig } from './config/config.ts'
import { createGateway } from './gateway.ts'
import { createLogger } from './ops/logger.ts'
import { createMetrics } from './ops/metrics.ts'
import { documentedRoutes, toDocumentedPath } from './ops/openapi.ts'

const clock: Clock = { now: () => 0, after: () => ({ clear: () => {} }) }
const parts = {
  log: createMemoryLog(),
  clock,
  logger: createLogger({ level: 'silent' }),
  metrics: createMetrics(),
  authenticator: createAuthenticator({ clock, secrets: createSecretStore() }),
}

test('the OpenAPI document has every route of the gateway and no other', () => {
  const { routes } = createGateway({ ...parts, config: defaultConfig })
  const served = routes
    .filter((route) => route !== 'GET /') // a page for people
    .map(toDocumentedPath)
    // The router cannot tell a dot that belongs to a name from one that follows it.
    .map((route) => route.replace('/{dialect}/{name}', '/{dialect}/{name}.json'))
  expect([...served, 'GET /v1/ws'].toSorted()).toEqual(documentedRoutes.toSorted())
})

test('a gateway that strangers would reach without a credential is not made', () => {
  const open = { ...defaultConfig, host: '0.0.0.0' }
  expect(() => createGateway({ ...parts, config: open })).toThrow(
    expect.objectContaining({ code: 'bad_config' }),
  )
})
