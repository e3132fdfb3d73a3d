import { SluiceError } from '@sluice/protocol'

const maxNameLength = 128

/** The request itself is wrong. The message never contains a value of it. */
export function invalidRequest(message: string): SluiceError {
  return new SluiceError('invalid_run', { message: `invalid request: ${message}` })
}

/** The agent does not support the extension of this name. */
export function unsupportedCapability(kind: string, capability: string): SluiceError {
  return new SluiceError('unsupported_capability', {
    message: `unsupported capability for ${kind}: ${boundName(capability)}`,
  })
}

/** The request is valid, but the agent cannot do what it asks. */
export function backendError(message: string): SluiceError {
  return new SluiceError('run_failed', { message: `backend error: ${message}` })
}

/** A name that the caller chose, shortened for a message. */
export function boundName(name: string): string {
  return name.length <= maxNameLength ? name : `${[...name].slice(0, maxNameLength).join('')}…(truncated)`
}

/** Compares names by their bytes in UTF-8. */
export function compareNames(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}
