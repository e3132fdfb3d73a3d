declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers without a credential. */
    readonly isOpen?: true
    /** Any site may link here. */
    readonly isPage?: true
  }
}

/** The options of a route that answers without a credential: its answer does not depend on the caller. */
export const openRoute = { config: { isOpen: true } } as const

/** The options of an open route for browsers, which is not part of the described interface. */
export const fileRoute = { ...openRoute, schema: { hide: true } } as const

/** The options of an open route that shows a page. Other sites may link to it. */
export const pageRoute = { config: { isOpen: true, isPage: true }, schema: { hide: true } } as const
