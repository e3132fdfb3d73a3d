import type { Outcome } from '@sluice/protocol'

/** The failure of a run whose own frames say that it did not complete. */
export function ownFailure(kind: string, outcome: Exclude<Outcome, 'completed'>): string {
  switch (outcome) {
    case 'failed':
      return `${kind} failed`
    case 'cancelled':
      return `${kind} cancelled its own run`
    case 'rejected':
      return `${kind} rejected the request`
  }
}
