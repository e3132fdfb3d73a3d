import { createHash } from 'node:crypto'
import { isSessionId } from '@sluice/protocol/dialects'

const aliasPattern = /^(sess_[A-Za-z0-9]+)alias[0-9a-f]{8}$/

/**
 * Another name for a session whose own name is taken here. It contains the original name, so that every
 * gateway on its way recognizes where it comes from. Undefined when that would be too long.
 */
export function toAlias(agent: string, id: string): string | undefined {
  const hash = createHash('sha256').update(`${agent}\0${id}`.toWellFormed()).digest('hex').slice(0, 8)
  const alias = `${id}alias${hash}`
  return isSessionId(alias) ? alias : undefined
}

/** The names that a session may have at its origin, if gateways on its way renamed it. */
export function originalsOf(id: string): readonly string[] {
  const [, original] = aliasPattern.exec(id) ?? []
  return original === undefined ? [] : [original, ...originalsOf(original)]
}
