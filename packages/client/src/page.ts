/** Why a page should check its connections: it is visible again, restored from the cache, or online again. */
export type Wake = 'visible' | 'restored' | 'online'

/**
 * What the platform knows about its network and its visibility. Outside a browser it is always online and
 * never wakes.
 */
export interface Page {
  isOnline(): boolean
  /** Calls `listener` at every wake, until the returned function is called. */
  onWake(listener: (wake: Wake) => void): () => void
}

interface Emitter {
  addEventListener(type: string, listener: (event: Event) => void): void
  removeEventListener(type: string, listener: (event: Event) => void): void
}

/** The parts of a browser's global object that are used. Each may be missing. */
export interface Globals extends Partial<Emitter> {
  readonly document?: Emitter & { readonly visibilityState?: string }
  readonly navigator?: { readonly onLine?: boolean }
}

const loopback = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/

/** Reads `globals` at each call, because it may change. A gateway on this machine needs no network. */
export function createPage(globals: Globals, gatewayHost: string): Page {
  const isLocal = loopback.test(gatewayHost)
  return {
    isOnline: () => isLocal || globals.navigator?.onLine !== false,
    onWake(listener) {
      const { document } = globals
      const onVisibility = () => {
        if (document?.visibilityState === 'visible') listener('visible')
      }
      const onPageShow = (event: Event) => {
        if ('persisted' in event && event.persisted === true) listener('restored')
      }
      const onOnline = () => listener('online')
      document?.addEventListener('visibilitychange', onVisibility)
      globals.addEventListener?.('pageshow', onPageShow)
      globals.addEventListener?.('online', onOnline)
      return () => {
        document?.removeEventListener('visibilitychange', onVisibility)
        globals.removeEventListener?.('pageshow', onPageShow)
        globals.removeEventListener?.('online', onOnline)
      }
    },
  }
}
