import type { Entry, JsonObject } from '@sluice/protocol'
import type { Terms } from '../../packages/gateway/src/features/aaep/terms.ts'
import { encodeSession, withoutRaw } from '../../packages/protocol/src/testing/sessions.ts'
import { aaep } from './simulate.ts'

export const isCriticalValue = (value: JsonObject): boolean => value['urgency'] === 'critical'
/** Event types that are sent whatever the terms, except for filters. */
const told: ReadonlySet<unknown> = new Set([
  'aaep:agent.tool.invoked',
  'aaep:agent.tool.completed',
  'aaep:agent.awaiting.confirmation',
  'aaep:agent.awaiting.clarification',
  'aaep:agent.handoff.requested',
  'aaep:agent.session.started',
  'aaep:agent.session.completed',
  'aaep:agent.session.errored',
  'aaep:agent.session.cancelled',
])
/** The types of the events that no pacing may drop. */
export const kept = (values: readonly JsonObject[], passes: (type: unknown) => boolean): readonly string[] =>
  values
    .filter((value) => told.has(value['type']) && (passes(value['type']) || isCriticalValue(value)))
    .map(({ type }) => String(type))

export function passesFilters({ filters: { include, exclude } }: Terms): (type: unknown) => boolean {
  const isOf = (pattern: string, type: unknown): boolean =>
    pattern.endsWith('*') ? String(type).startsWith(pattern.slice(0, -1)) : pattern === type
  return (type) =>
    include.some((pattern) => isOf(pattern, type)) && !exclude.some((pattern) => isOf(pattern, type))
}

/** A session as AAEP without pacing. */
export function plainly(entries: readonly Entry[], id = 'sess_test1'): readonly JsonObject[] {
  return encodeSession(aaep, { id }, withoutRaw(entries)).map(({ data }) => JSON.parse(data) as JsonObject)
}
