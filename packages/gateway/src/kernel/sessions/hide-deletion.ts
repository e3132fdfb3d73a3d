import { SluiceError } from '@sluice/protocol'
import type { Caller } from '../../access/caller.ts'

/** The error `session_deleted`, for every entrance. */
export function deletionOf(session: string): SluiceError {
  return new SluiceError('session_deleted', { details: { session } })
}

/**
 * An error as the caller may see it: only callers granted this id learn that the session was deleted. The
 * others get the error of a session that never existed, or that `instead` names.
 */
export function hideDeletion(
  caller: Caller,
  error: unknown,
  instead: 'unknown_session' | 'session_exists' = 'unknown_session',
): unknown {
  if (!(error instanceof SluiceError) || error.code !== 'session_deleted') return error
  const id = error.details?.['session']
  const isTold = typeof id === 'string' && caller.can('subscribe', { id, labels: {} })
  return isTold ? error : new SluiceError(instead)
}
