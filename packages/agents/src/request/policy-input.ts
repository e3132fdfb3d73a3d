import type { JsonObject } from '@sluice/protocol'
import type { Ceiling } from './ceiling.ts'

/** What a policy looks at: all extensions are ones that the agent has. */
export interface PolicyInput {
  readonly kind: string
  readonly extensions: JsonObject
  /** Directories that were checked already. */
  readonly addDirs: readonly string[] | undefined
  /** Absolute. */
  readonly cwd: string
  /** The model that the request itself names. */
  readonly model: string | undefined
  readonly ceiling: Ceiling
}
