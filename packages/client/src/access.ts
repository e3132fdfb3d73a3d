import { type Requester, readJson } from './requester.ts'
import type { CallerResource, LoginResource } from './resources.ts'
import type { Abortable } from './sessions.ts'

/** The identity of a client at its gateway. */
export interface Access {
  /**
   * Exchanges a key or a JWT for a token that represents it for up to 12 hours and can be revoked, so that a
   * page need not keep the key. The token is for another client; this one keeps its credential. Rejects with
   * `unauthenticated` or `token_expired`.
   */
  login(token: string, options?: Abortable): Promise<LoginResource>
  /** Ends the login whose token this client uses. */
  logout(options?: Abortable): Promise<void>
  /** The caller as the gateway identifies it, and what it may do on at least one session. */
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
