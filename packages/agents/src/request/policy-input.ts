import type { JsonObject } from '@sluice/protocol'
import type { Ceiling } from './ceiling.ts'

/** What a policy reads. The agent supports all of these extensions. */
export interface PolicyInput {
  readonly kind: string
  readonly extensions: JsonObject
  /** Directories that somebody has already checked. */
  readonly addDirs: readonly string[] | undefined
  /** Absolute. */
  readonly cwd: string
  /** The model that the request itself names. */
  readonly model: string | undefined
  readonly ceiling: Ceiling
}
