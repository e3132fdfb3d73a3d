declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers without a credential. */
    readonly isOpen?: true
    /** A link from any site may lead here. */
    readonly isPage?: true
  }
}

/** The options of a route that answers without a credential: it holds nothing that depends on the caller. */
export const openRoute = { config: { isOpen: true } } as const

/** The options of an open route that shows a page, to which links of other sites may lead. */
export const pageRoute = { config: { isOpen: true, isPage: true } } as const
