import type { DialectSupports } from '../../dialect.ts'

/** Arguments and results have fields of their own; the request goes with the start that is carried in a `log`. */
export const payloads: DialectSupports['payloads'] = { request: true, toolArgs: true, toolResults: true }
