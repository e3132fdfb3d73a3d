import type { SluiceError } from '@sluice/protocol'
import { runFailed } from '../run/create-run.ts'

/** The failure of a run whose program could not be started; `label` begins its message. */
export function spawnFailure(label: string, error: unknown): SluiceError {
  const isMissing =
    error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EACCES')
  return runFailed(`${label} backend error: ${isMissing ? 'binary not found' : 'spawn failed'}`)
}
