import { published } from './sample-lines.ts'
import type { StartedGateway } from './start-gateway.ts'

/**
 * Creates enough sessions, with agent names long enough, that no pair of sockets can buffer the list of them.
 */
export async function createLarge(gateway: StartedGateway): Promise<readonly string[]> {
  const ids = Array.from({ length: 25 }, (_, index) => `sess_large${index}`)
  for (const [index, id] of ids.entries()) {
    const agent = { id: `agent${index}`, name: 'N'.repeat(900_000) }
    await gateway.publish(id, [published({ kind: 'session-start', meta: { agent } })], '?dialect=sluice')
  }
  return ids
}
