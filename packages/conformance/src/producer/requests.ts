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

/** Filtered out by one subscription. Critical events among these must arrive anyway. */
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
  if (role === 'slow')
    return request(role, {
      ...everything,
      supports_confirmation_reply: false,
      max_events_per_second: slowRate,
      coalesce_boundaries: ['sentence', 'completion'],
    })
  if (role === 'filtered')
    return request(role, { ...everything, event_filters: { include: ['aaep:agent.*'], exclude: excluded } })
  return request(role, everything)
}

/** Terms that exclude the most frequent events of a session. */
export const narrowed: JsonObject = {
  event_filters: {
    include: ['aaep:agent.*'],
    exclude: ['aaep:agent.output.*', 'aaep:agent.progress.*', 'aaep:agent.tool.*'],
  },
}

/** A well-formed event id that no producer has issued. */
export const unknownId = 'evt_c0nf0rmancec0nf0rmancec0nf0rmance'

/** The message that closes the subscription of this `subscription.accepted`. */
export function closing(accepted: JsonObject): JsonObject {
  return {
    type: 'subscription.close',
    subscription_id: textOf(accepted, 'subscription_id'),
    reason_code: 'subscriber_shutdown',
    reason_message: 'The check is done.',
  }
}

/** The handshakes to try outside any session. */
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
