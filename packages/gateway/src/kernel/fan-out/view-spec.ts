import type { Dialect, Encoder } from '@sluice/protocol'
import { inputsEncoder, inputsName } from '../sessions/inputs.ts'
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

/** A session as the inputs of its agent. */
export const inputsView: ViewSpec = {
  key: 'inputs/',
  dialect: inputsName,
  encoder: inputsEncoder as Encoder<unknown>, // it has no state
  coalescing: undefined,
}
