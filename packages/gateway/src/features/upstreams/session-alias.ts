import { createHash } from 'node:crypto'
import { isSessionId } from '@sluice/protocol/dialects'

const aliasPattern = /^(sess_[A-Za-z0-9]+)alias[0-9a-f]{8}$/

/**
 * The name of a session whose own one another session has here: it spells the own one, so that every gateway on its way
 * can tell where it comes from. Undefined when that would be too long.
 */
export function toAlias(agent: string, id: string): string | undefined {
  const hash = createHash('sha256').update(`${agent}\0${id}`.toWellFormed()).digest('hex').slice(0, 8)
  const alias = `${id}alias${hash}`
  return isSessionId(alias) ? alias : undefined
}

/** What a session may be called where it comes from, if gateways on its way gave it other names. */
export function originalsOf(id: string): readonly string[] {
  const [, original] = aliasPattern.exec(id) ?? []
  return original === undefined ? [] : [original, ...originalsOf(original)]
}
