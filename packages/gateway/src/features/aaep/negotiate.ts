import { isJsonObject, type JsonObject, omitUndefined } from '@sluice/protocol'
import { type AaepMessage, aaepMessageChecker, aaepSchemas } from '@sluice/protocol/dialects'
import type { Agreement, Offer, Rejection, RejectionCode, Subscriber } from './agreement.ts'
import { honorCapabilities } from './negotiate-capabilities.ts'
import { readChoice, type SessionChoice } from './negotiate-choice.ts'
import type { Capabilities } from './terms.ts'

/** An agreement on a `subscription.request`. */
export interface Acceptance extends Agreement {
  readonly subscriber: Subscriber
  readonly choice: SessionChoice
}

/** Negotiates a `subscription.request`. Never throws. */
export function negotiate(message: unknown, offer: Offer): Acceptance | Rejection {
  if (!isOfType(message, 'subscription.request'))
    return reject('unknown', 'The message is no subscription.request.')
  // The version comes first: another version may have other fields.
  const version = message['aaep_version']
  if (typeof version === 'string' && /^\d+\./.test(version) && !/^1\./.test(version))
    return reject('version_unsupported', 'This gateway speaks AAEP 1.x.')
  const { known, ignored } = toKnown(message, 'subscription.request')
  const fault = faultOf(known, 'subscription.request') ?? prefixFault(message)
  if (fault !== undefined) return fault
  const request = known as AaepMessage<'subscription.request'> // its schema was checked
  const extensions = message['extensions']
  const choice = readChoice(isJsonObject(extensions) ? extensions['sluice'] : undefined)
  if (typeof choice === 'string') return reject('capabilities_incompatible', choice)
  const agreement = honorCapabilities(request.capabilities, offer, ignored)
  if (!agreement.ok) return agreement
  const { subscriber_id: id, subscriber_name: name, subscriber_version: revision } = request
  const subscriber = omitUndefined({
    id,
    name,
    version: revision,
  })
  return { ...agreement, subscriber, choice }
}

/** Negotiates a `subscription.renegotiate`; honoured capabilities that it omits stay as they are. */
export function renegotiate(honored: Capabilities, message: unknown, offer: Offer): Agreement | Rejection {
  if (!isOfType(message, 'subscription.renegotiate'))
    return reject('unknown', 'The message is no subscription.renegotiate.')
  const { known, ignored } = toKnown(message, 'subscription.renegotiate')
  const fault = faultOf(known, 'subscription.renegotiate') ?? prefixFault(message)
  if (fault !== undefined) return fault
  const { capabilities } = known as AaepMessage<'subscription.renegotiate'> // its schema was checked
  return honorCapabilities({ ...honored, ...capabilities }, offer, ignored)
}

type Judged = 'subscription.request' | 'subscription.renegotiate'

const capabilityNames: ReadonlySet<string> = new Set(
  Object.keys(aaepSchemas['subscription.request'].properties.capabilities.properties),
)

function isOfType(message: unknown, type: Judged): message is JsonObject {
  return isJsonObject(message) && message['type'] === type
}

/**
 * The message without fields and capabilities that AAEP does not define: a later 1.x may have added them, and
 * those of extensions must be ignored (AAEP §5, §12).
 */
function toKnown(
  message: JsonObject,
  type: Judged,
): { readonly known: JsonObject; readonly ignored: number } {
  const { properties } = aaepSchemas[type]
  const fields = Object.fromEntries(
    Object.entries(message).filter(([name]) => Object.hasOwn(properties, name)),
  )
  const asked = fields['capabilities']
  if (!isJsonObject(asked)) return { known: fields, ignored: 0 }
  const all = Object.entries(asked)
  const kept = all.filter(([name]) => capabilityNames.has(name))
  return { known: { ...fields, capabilities: Object.fromEntries(kept) }, ignored: all.length - kept.length }
}

function faultOf(known: JsonObject, type: Judged): Rejection | undefined {
  const [first] = aaepMessageChecker(type)?.exactFindings(known) ?? []
  if (first === undefined) return undefined
  const code = first.path.startsWith('/capabilities/') ? 'capabilities_incompatible' : 'unknown'
  return reject(code, `${first.path.slice(0, 200)}: ${first.message}`)
}

/** Rejects an extension whose prefix is already taken (AAEP §7). */
function prefixFault({ capabilities, extensions }: JsonObject): Rejection | undefined {
  const asked = isJsonObject(capabilities) ? capabilities : {}
  const beside = isJsonObject(extensions) ? extensions : {}
  if (Object.hasOwn(asked, 'aaep') || Object.hasOwn(beside, 'aaep'))
    return reject('capabilities_incompatible', 'The prefix aaep is that of the dialect itself.')
  const own = asked['sluice']
  if (own !== undefined && !(isJsonObject(own) && Object.keys(own).length === 0))
    return reject('capabilities_incompatible', 'The prefix sluice has no capabilities.')
  return undefined
}

function reject(code: RejectionCode, message: string): Rejection {
  return { ok: false, code, message }
}
