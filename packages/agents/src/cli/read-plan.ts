import { isJsonObject, type JsonValue, type StateData } from '@sluice/protocol'

/**
 * What an agent noted of its plan with a tool of its own, as the snapshot of docs/agents.md; undefined where it has no
 * such shape. Steps that were given up are left out; one in a state that is not known waits.
 */
export function readPlan(steps: JsonValue | undefined, textKey: string): StateData | undefined {
  if (!Array.isArray(steps)) return undefined
  const plan = steps.flatMap((step) => {
    const text = isJsonObject(step) ? step[textKey] : undefined
    if (!isJsonObject(step) || typeof text !== 'string' || step['status'] === 'cancelled') return []
    return [{ text, status: toStatus(step['status']) }]
  })
  return { kind: 'state-data', snapshot: { plan } }
}

function toStatus(status: JsonValue | undefined): 'pending' | 'in_progress' | 'completed' {
  return status === 'in_progress' || status === 'completed' ? status : 'pending'
}
