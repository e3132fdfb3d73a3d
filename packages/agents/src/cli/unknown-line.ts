import type { JsonValue, Unknown } from '@sluice/protocol'

/** A line of a type that is not known: told by its name, where it has a plain one, and without what is in it. */
export function unknownLine(agentKind: string, type: JsonValue | undefined): Unknown {
  const name = typeof type === 'string' && /^[a-z][a-z0-9_.-]{0,63}$/.test(type) ? type : 'line'
  return { kind: 'unknown', type: `${agentKind}.${name}`, data: {} }
}
