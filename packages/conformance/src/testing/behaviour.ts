import type { JsonObject } from '@sluice/protocol'

/** How the test producer behaves; `healthy` has the correct value of every field. */
export interface Behaviour {
  /** What the agent sends in place of an event. */
  emit(event: JsonObject): readonly JsonObject[]
  /** The sequence number of the nth event of a session. */
  number(nth: number): number
  /** The texts on the wire for an event. */
  encode(event: JsonObject): readonly string[]
  /** The `subscription.accepted` to send. */
  accept(accepted: JsonObject, request: JsonObject): JsonObject
  /** The `subscription.rejected` to send; undefined sends nothing. */
  reject(rejected: JsonObject): JsonObject | undefined
  /** The reason for which it fails to reject. */
  readonly overlooks: string
  /** Rejects unknown capabilities. */
  readonly isNarrowMinded: boolean
  readonly frameName: string
  readonly isSilent: boolean

  readonly reusesTokens: boolean
  readonly isImpatient: boolean
  readonly ignoresAcceptance: boolean
  readonly ignoresAnswers: boolean
  readonly actsOnRejection: boolean
  readonly isSilentAfterRejection: boolean
  readonly takesForgedReplies: boolean
  readonly takesIllTypedReplies: boolean
  readonly takesReplays: boolean
  readonly takesLateReplies: boolean
  readonly tellsWhy: boolean
  readonly hidesOutcomes: boolean
  /** The real timeout of a question divided by the stated one; infinite means never. */
  readonly patience: number
  readonly actsOnDefault: boolean

  readonly keepsNoRate: boolean
  readonly losesJoinedText: boolean
  readonly claimsCompletion: boolean
  readonly holdsCriticals: boolean
  readonly filtersCriticals: boolean
  readonly ignoresFilters: boolean
  readonly filtersTools: boolean
  readonly swapsToolEvents: boolean
  readonly holdsAllForTheSlow: boolean
  readonly ignoresRenegotiation: boolean
  readonly keepsOldTerms: boolean
  readonly ignoresClose: boolean
  readonly losesOnResume: boolean
  readonly repeatsOnResume: boolean
  readonly hidesState: boolean

  /** The manifest to serve; undefined serves none. */
  manifest(manifest: JsonObject): JsonObject | undefined
  /** The claims to sign. */
  claims(manifest: JsonObject): JsonObject
  readonly signsWithAnotherKey: boolean
}

export const healthy: Behaviour = {
  emit: (event) => [event],
  number: (nth) => nth,
  encode: (event) => [JSON.stringify(event)],
  accept: (accepted) => accepted,
  reject: (rejected) => rejected,
  overlooks: '',
  isNarrowMinded: false,
  frameName: 'aaep.event',
  isSilent: false,
  reusesTokens: false,
  isImpatient: false,
  ignoresAcceptance: false,
  ignoresAnswers: false,
  actsOnRejection: false,
  isSilentAfterRejection: false,
  takesForgedReplies: false,
  takesIllTypedReplies: false,
  takesReplays: false,
  takesLateReplies: false,
  tellsWhy: false,
  hidesOutcomes: false,
  patience: 1,
  actsOnDefault: false,
  keepsNoRate: false,
  losesJoinedText: false,
  claimsCompletion: false,
  holdsCriticals: false,
  filtersCriticals: false,
  ignoresFilters: false,
  filtersTools: false,
  swapsToolEvents: false,
  holdsAllForTheSlow: false,
  ignoresRenegotiation: false,
  keepsOldTerms: false,
  ignoresClose: false,
  losesOnResume: false,
  repeatsOnResume: false,
  hidesState: false,
  manifest: (manifest) => manifest,
  claims: (manifest) => manifest,
  signsWithAnotherKey: false,
}
