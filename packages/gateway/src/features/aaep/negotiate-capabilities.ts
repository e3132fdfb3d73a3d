import type { Agreement, Offer, Rejection } from './agreement.ts'
import { filterFault } from './negotiate-filters.ts'
import { type Capabilities, toTerms } from './terms.ts'

/**
 * The granted part of capabilities that fit their schema. Languages are granted as requested, because they
 * give the order in which a text is chosen: agents may speak more languages than the gateway.
 */
export function honorCapabilities(
  requested: Capabilities,
  offer: Offer,
  ignored: number,
): Agreement | Rejection {
  const fault = requested.event_filters === undefined ? undefined : filterFault(requested.event_filters)
  if (fault !== undefined) return { ok: false, code: 'capabilities_incompatible', message: fault }
  if (requested.accept_signed_manifests_only === true && !offer.isSigned)
    return {
      ok: false,
      code: 'manifest_signature_required',
      message: 'Only signed manifests are accepted, and this gateway has no key to sign its manifest with.',
    }
  const honored: Capabilities = { ...requested }
  const notes: string[] = []
  if (!offer.canAnswer && (honored.supports_confirmation_reply || honored.supports_clarification_reply)) {
    if (honored.supports_confirmation_reply) honored.supports_confirmation_reply = false
    if (honored.supports_clarification_reply) honored.supports_clarification_reply = false
    notes.push('The credential does not allow answers; questions are delivered all the same.')
  }
  if (honored.supported_extensions !== undefined)
    honored.supported_extensions = honored.supported_extensions.filter((uri) =>
      offer.extensions.includes(uri),
    )
  if (honored.languages?.some((language) => !isSpoken(language, offer.languages)))
    notes.push(
      `The sentences of the gateway itself are in ${offer.languages.join(', ')}; those of agents in the languages that they speak.`,
    )
  if (ignored > 0) notes.push('Capabilities that are not known here were ignored.')
  return {
    ok: true,
    honored,
    terms: toTerms(honored),
    ...(notes.length === 0 ? {} : { notes: notes.join(' ') }),
  }
}

function isSpoken(language: string, spoken: readonly string[]): boolean {
  const primary = primaryOf(language)
  return spoken.some((other) => primaryOf(other) === primary)
}

function primaryOf(language: string): string {
  return language.split('-', 1).join('').toLowerCase()
}
