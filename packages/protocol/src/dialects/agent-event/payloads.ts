import type { DialectSupports } from '../../dialect.ts'

/** Event envelope, "Safety", and the tools facet: metadata only. */
export const payloads: DialectSupports['payloads'] = { request: false, toolArgs: false, toolResults: false }
