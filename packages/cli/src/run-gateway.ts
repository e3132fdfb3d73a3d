import { waitForShutdown } from './shutdown.ts'
import { type ServedConfig, type StartedGateway, type StartOptions, startGateway } from './start-gateway.ts'

/** Runs a gateway until a signal asks it to stop. Rejects as startGateway() does. */
export async function runGateway(
  config: ServedConfig,
  onStart: (running: StartedGateway) => void | Promise<void>,
  options: StartOptions,
): Promise<void> {
  const shutdown = waitForShutdown()
  try {
    const gateway = await startGateway(config, options)
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
