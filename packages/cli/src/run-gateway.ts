import type { StartedGateway, StartParts } from '@sluice/gateway'
import type { Clock } from '@sluice/protocol'
import { waitForShutdown } from './shutdown.ts'
import { type ServedConfig, startOwnGateway } from './start-own-gateway.ts'

/** Runs a gateway until a signal asks it to stop. Rejects as startOwnGateway() does. */
export async function runGateway(
  config: ServedConfig,
  onStart: (running: StartedGateway) => void | Promise<void>,
  { clock, ...parts }: StartParts & { readonly clock: Clock },
): Promise<void> {
  const shutdown = waitForShutdown(clock)
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
