import type { GatewayProcess } from '../testing/gateway-process.ts'

/** A gateway that is killed and restarted, for clients that want to continue with it. */
export interface GatewayLives {
  readonly url: string
  /** Resolves at once while it runs, otherwise when it is back. */
  alive(): Promise<void>
  /** kill -9, then `whileDead`, then a restart on the same port and data. */
  killAndRestart(whileDead: () => Promise<void>): Promise<void>
}

export function followLives(gateway: GatewayProcess): GatewayLives {
  let life = Promise.resolve()
  return {
    url: gateway.url,
    alive: () => life,
    async killAndRestart(whileDead) {
      let isBack: () => void = () => {}
      life = new Promise((resolve) => {
        isBack = resolve
      })
      await gateway.kill()
      await whileDead()
      await gateway.restart()
      isBack()
    },
  }
}
