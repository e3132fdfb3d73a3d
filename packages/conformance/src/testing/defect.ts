import type { JsonObject } from '@sluice/protocol'
import { textOf } from '../story.ts'
import type { Behaviour } from './behaviour.ts'

/** One thing that a producer does wrong, and the check that must find it. */
export interface Defect {
  readonly check: string
  readonly says: string
  readonly behaviour: Partial<Behaviour>
  /** It shows only over this transport. */
  readonly transport?: 'sse' | 'ws'
  /** The check reports it as a warning. */
  readonly isAdvice?: true
}

/** Changes the events of one type, and leaves the others alone. */
export function on(type: string, change: (event: JsonObject) => readonly JsonObject[]): Partial<Behaviour> {
  return { emit: (event) => (textOf(event, 'type') === `aaep:agent.${type}` ? change(event) : [event]) }
}

/** Puts these fields into the events of one type. */
export function withFields(type: string, fields: JsonObject): Partial<Behaviour> {
  return on(type, (event) => [{ ...event, ...fields }])
}

export function without(object: JsonObject, field: string): JsonObject {
  const { [field]: _, ...rest } = object
  return rest
}

export function isCall(event: JsonObject, call: string): boolean {
  return event['tool_call_id'] === call
}
