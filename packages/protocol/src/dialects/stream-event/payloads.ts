import type { DialectSupports } from '../../dialect.ts'

/** Arguments and results have their own fields; the request travels with the start that a `log` carries. */
export const payloads: DialectSupports['payloads'] = { request: true, toolArgs: true, toolResults: true }
