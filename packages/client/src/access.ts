import { type Requester, readJson } from './requester.ts'
import type { CallerResource } from './resources.ts'
import type { Abortable } from './sessions.ts'

/** Who a client is to its gateway. */
export interface Access {
  /**
   * Trades a token for a cookie that stands for it; from then on a browser needs no token. The cookie is HttpOnly: no
   * script reads it. Rejects with `unauthenticated` or `token_expired`.
   */
  login(token: string, options?: Abortable): Promise<void>
  /** Removes that cookie. */
  logout(options?: Abortable): Promise<void>
  /** Who the gateway takes this client for, and what it may do on some session. */
  whoAmI(options?: Abortable): Promise<CallerResource>
}

export function createAccess(requester: Requester): Access {
  const path = ['login']
  return {
    async login(token, { signal } = {}) {
      await requester.repeat({ method: 'POST', path, body: JSON.stringify({ token }), signal })
    },
    async logout({ signal } = {}) {
      await requester.repeat({ method: 'DELETE', path, signal })
    },
    async whoAmI({ signal } = {}) {
      return readJson(await requester.repeat({ path, signal }), signal)
    },
  }
}
