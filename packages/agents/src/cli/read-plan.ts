import { isJsonObject, type JsonValue, type StateData } from '@sluice/protocol'

/**
 * The plan that an agent noted with its own tool, as the snapshot of docs/agents.md; undefined if it is not a
 * list. Omits cancelled steps; a step in an unknown state is `pending`.
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
