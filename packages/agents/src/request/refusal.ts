import { SluiceError } from '@sluice/protocol'

const maxNameLength = 128

/** The request is wrong in itself. The message never holds a value of it. */
export function invalidRequest(message: string): SluiceError {
  return new SluiceError('invalid_run', { message: `invalid request: ${message}` })
}

/** The agent does not have what an extension of this name asks for. */
export function unsupportedCapability(kind: string, capability: string): SluiceError {
  return new SluiceError('unsupported_capability', {
    message: `unsupported capability for ${kind}: ${boundName(capability)}`,
  })
}

/** The agent cannot do this together, though each of it is right. */
export function backendError(message: string): SluiceError {
  return new SluiceError('run_failed', { message: `backend error: ${message}` })
}

/** A name that the one who asks chose, for a message. */
export function boundName(name: string): string {
  return name.length <= maxNameLength ? name : `${[...name].slice(0, maxNameLength).join('')}…(truncated)`
}

/** The order of names by their bytes, as in UTF-8. */
export function compareNames(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}
