import type { ConnectionState } from '@sluice/client'
import type { Io } from './io.ts'
import { say } from './say.ts'

/** Watches the connection of a reader. */
export interface ConnectionWatch {
  readonly signal: AbortSignal
  onConnection(state: ConnectionState): void
  release(): void
}

/**
 * Reports outages on standard error. Gives up when no gateway ever answered, or when the reader of the output
 * is gone.
 */
export function watchConnection(io: Io): ConnectionWatch {
  const controller = new AbortController()
  const onError = (error: unknown): void => controller.abort(error)
  let hasConnected = false
  let isOut = false
  io.stdout.on('error', onError)
  return {
    signal: controller.signal,
    onConnection(state) {
      if (state.status === 'live' || state.status === 'catching-up') {
        if (isOut) say(io, 'The gateway is back.')
        hasConnected = true
        isOut = false
      } else if (state.status === 'waiting') {
        if (!hasConnected && state.error.code === 'gateway_unreachable') controller.abort(state.error)
        else if (!isOut) say(io, `${state.error.message} Trying again.`)
        isOut = true
      }
    },
    release() {
      io.stdout.off('error', onError)
    },
  }
}
