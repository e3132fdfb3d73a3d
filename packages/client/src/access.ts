import { type Requester, readJson } from './requester.ts'
import type { CallerResource, LoginResource } from './resources.ts'
import type { Abortable } from './sessions.ts'

/** Who a client is to its gateway. */
export interface Access {
  /**
   * Trades a key or a JWT for a token that stands for it for up to 12 hours and can be ended: what a page keeps, rather than
   * the key. It is for another client; this one goes on with what it has. Rejects with `unauthenticated` or `token_expired`.
   */
  login(token: string, options?: Abortable): Promise<LoginResource>
  /** Ends the login whose token this client has. */
  logout(options?: Abortable): Promise<void>
  /** Who the gateway takes this client for, and what it may do on some session. */
  whoAmI(options?: Abortable): Promise<CallerResource>
}

export function createAccess(requester: Requester): Access {
  const path = ['login']
  return {
    async login(token, { signal } = {}) {
      const body = JSON.stringify({ token })
      return readJson(await requester.repeat({ method: 'POST', path, body, signal }), signal)
    },
    async logout({ signal } = {}) {
      await requester.repeat({ method: 'DELETE', path, signal })
    },
    async whoAmI({ signal } = {}) {
      return readJson(await requester.repeat({ path, signal }), signal)
    },
  }
}
