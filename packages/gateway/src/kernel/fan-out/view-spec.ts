import type { Dialect, Encoder } from '@sluice/protocol'
import { inputsEncoder } from '../sessions/inputs.ts'
import type { Coalescing } from './joiner.ts'
import type { ViewSpec } from './position.ts'

/** A session as one dialect. */
export function dialectView(dialect: Dialect, coalescing: Coalescing | undefined): ViewSpec {
  return {
    key: coalescing === undefined ? dialect.id : `${dialect.id} ${JSON.stringify(coalescing)}`,
    dialect: dialect.id,
    encoder: dialect.encode,
    coalescing,
  }
}

/** A session as what flows back to its agent. */
export const inputsView: ViewSpec = {
  key: 'inputs/',
  dialect: 'inputs',
  encoder: inputsEncoder as Encoder<unknown>, // it has no state
  coalescing: undefined,
}
