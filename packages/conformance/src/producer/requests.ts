import type { JsonObject } from '@sluice/protocol'
import { textOf } from '../story.ts'
import type { Probe, Role } from '../transcript.ts'

const everything = {
  supports_confirmation_reply: true,
  supports_clarification_reply: true,
  coalesce_boundaries: ['none', 'word', 'sentence', 'paragraph', 'completion'],
  supported_conformance_levels: [1, 2, 3],
  languages: ['en-US', 'en'],
}

/** What the filtered subscription does not want: some of it is critical and comes all the same. */
const excluded = [
  'aaep:agent.output.*',
  'aaep:agent.progress.updated',
  'aaep:agent.awaiting.*',
  'aaep:agent.handoff.requested',
  'aaep:agent.session.errored',
]

function request(name: string, capabilities: JsonObject): JsonObject {
  return {
    type: 'subscription.request',
    aaep_version: '1.0.0',
    subscriber_id: `sluice-conformance-${name}`,
    subscriber_name: 'Sluice conformance',
    capabilities,
  }
}

/** The terms of each subscription of a run. */
export function requestFor(role: Role, slowRate: number): JsonObject {
  switch (role) {
    case 'slow':
      return request(role, {
        ...everything,
        supports_confirmation_reply: false,
        max_events_per_second: slowRate,
        coalesce_boundaries: ['sentence', 'completion'],
      })
    case 'filtered':
      return request(role, { ...everything, event_filters: { include: ['aaep:agent.*'], exclude: excluded } })
    default:
      return request(role, everything)
  }
}

/** Terms that leave out what a session has most of. */
export const narrowed: JsonObject = {
  event_filters: {
    include: ['aaep:agent.*'],
    exclude: ['aaep:agent.output.*', 'aaep:agent.progress.*', 'aaep:agent.tool.*'],
  },
}

/** An id of the right form that no producer has given. */
export const unknownId = 'evt_c0nf0rmancec0nf0rmancec0nf0rmance'

/** Ends the subscription that this answer accepted. */
export function closing(accepted: JsonObject): JsonObject {
  return {
    type: 'subscription.close',
    subscription_id: textOf(accepted, 'subscription_id'),
    reason_code: 'subscriber_shutdown',
    reason_message: 'The check is done.',
  }
}

/** The handshakes that are tried apart from any session. */
export const probeRequests: readonly Omit<Probe, 'answer'>[] = [
  { name: 'plain', request: request('plain', everything) },
  { name: 'version', request: { ...request('version', everything), aaep_version: '99.99.99' } },
  { name: 'nonsense', request: { type: 'subscription.conformance_probe' } },
  { name: 'capabilities', request: request('capabilities', { ...everything, max_events_per_second: 0 }) },
  {
    name: 'extension',
    request: request('extension', { ...everything, x_conformance: { wants: 'to be ignored' } }),
  },
  {
    name: 'signed-only',
    request: request('signed-only', { ...everything, accept_signed_manifests_only: true }),
  },
]
