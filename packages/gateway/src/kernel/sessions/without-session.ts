import type { Dialect } from '@sluice/protocol'

/** The same dialect for frames that belong to one session, whichever one they name. */
export function withoutSession(dialect: Dialect): Dialect {
  return {
    ...dialect,
    identify(value) {
      const { session: _session, foreign: _foreign, context: _context, ...identity } = dialect.identify(value)
      return identity
    },
  }
}
