import type { JsonValue, Unknown } from '@sluice/protocol'

/** The event for a line of an unknown type: names the type if it is a plain name, and never its content. */
export function unknownLine(agentKind: string, type: JsonValue | undefined): Unknown {
  const name = typeof type === 'string' && /^[a-z][a-z0-9_.-]{0,63}$/.test(type) ? type : 'line'
  return { kind: 'unknown', type: `${agentKind}.${name}`, data: {} }
}
