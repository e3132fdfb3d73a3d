import type { RunRequest } from '@sluice/protocol'
import type { CheckedRequest, RunDefaults } from './checked-request.ts'

export interface RequestRules {
  readonly kind: string
  readonly extensions: readonly string[]
}
export function checkRequest(
  _request: RunRequest,
  _rules: RequestRules,
  _defaults: RunDefaults,
): CheckedRequest {
  throw new Error('')
}
