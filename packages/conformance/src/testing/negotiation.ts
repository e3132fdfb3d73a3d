import type { JsonObject } from '@sluice/protocol'
import { objectOf, textOf } from '../story.ts'
import { agentId } from './agent.ts'
import type { Behaviour } from './behaviour.ts'
import type { Signer } from './signer.ts'
import type { TestSubscription } from './test-subscription.ts'

/** The answer to a request; undefined means that none is sent. */
export function negotiate(request: JsonObject, behaviour: Behaviour, signer: Signer): JsonObject | undefined {
  const reason = reasonAgainst(request, behaviour)
  if (reason !== undefined && reason !== behaviour.overlooks)
    return behaviour.reject({
      type: 'subscription.rejected',
      reason_code: reason,
      reason_message: 'It does not fit.',
    })
  const { x_conformance: _, ...known } = objectOf(request, 'capabilities') ?? {}
  const accepted = {
    type: 'subscription.accepted',
    subscription_id: 'sub_tobefilled',
    aaep_version: '1.0.0',
    producer: { agent_id: agentId },
    honored_capabilities: known,
    signed_manifest: signer.signed,
  }
  return behaviour.accept(accepted, request)
}

function reasonAgainst(request: JsonObject, { isNarrowMinded }: Behaviour): string | undefined {
  if (request['type'] !== 'subscription.request') return 'unknown'
  if (!textOf(request, 'aaep_version').startsWith('1.')) return 'version_unsupported'
  const capabilities = objectOf(request, 'capabilities')
  if (capabilities?.['max_events_per_second'] === 0) return 'capabilities_incompatible'
  if (isNarrowMinded && capabilities?.['x_conformance'] !== undefined) return 'capabilities_incompatible'
  return undefined
}

/** Applies new terms to a subscription and returns the answer that confirms them. */
export function renegotiate(
  message: JsonObject,
  subscription: TestSubscription | undefined,
  behaviour: Behaviour,
): JsonObject | undefined {
  if (subscription === undefined || behaviour.ignoresRenegotiation) return undefined
  const terms = { ...subscription.terms, ...objectOf(message, 'capabilities') }
  if (!behaviour.keepsOldTerms) subscription.terms = terms
  return {
    type: 'subscription.accepted',
    subscription_id: subscription.id,
    aaep_version: '1.0.0',
    producer: { agent_id: agentId },
    honored_capabilities: terms,
  }
}
