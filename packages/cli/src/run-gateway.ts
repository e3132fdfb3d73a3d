import type { StartedGateway, StartParts } from '@sluice/gateway'
import { waitForShutdown } from './shutdown.ts'
import { type ServedConfig, startOwnGateway } from './start-own-gateway.ts'

/** Runs a gateway until a signal asks it to stop. Rejects as startOwnGateway() does. */
export async function runGateway(
  config: ServedConfig,
  onStart: (running: StartedGateway) => void | Promise<void>,
  parts: StartParts,
): Promise<void> {
  const shutdown = waitForShutdown()
  try {
    const gateway = await startOwnGateway(config, parts)
    try {
      await onStart(gateway)
      await shutdown.asked
    } finally {
      await gateway.close()
    }
  } finally {
    shutdown.release()
  }
}
