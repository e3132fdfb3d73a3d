import { type Clock, isJsonObject, SluiceError } from '@sluice/protocol'
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { GuardedResponse } from './guarded-fetch.ts'

export interface JwksOptions {
  readonly url: string
  readonly clock: Clock
  fetch(url: string): Promise<GuardedResponse>
  /** Called when keys could not be fetched while older ones are still in use. */
  onProblem(error: SluiceError): void
}

/** Keys older than this are fetched again in the background. */
export const refreshAfterMs = 10 * 60_000
/** If they cannot be fetched, the old ones are used no longer than this. */
export const dropAfterMs = 60 * 60_000
/** The least time between two fetches, whatever tokens request and whether or not a fetch succeeds. */
export const cooldownMs = 30_000
const maxKeys = 64

type GetKey = JWTVerifyGetKey

/**
 * The keys that an issuer publishes. A token with an unknown key id triggers another fetch, at most once in
 * 30 seconds, so that tokens with made-up ids cause no traffic. Throws `issuer_unreachable` while there are
 * none.
 */
export function createJwks({ url, clock, fetch, onProblem }: JwksOptions): GetKey {
  let keys: { readonly get: GetKey; readonly fetchedAt: number } | undefined
  let triedAt = Number.NEGATIVE_INFINITY
  let pending: Promise<void> | undefined

  function refresh(): Promise<void> {
    if (pending !== undefined) return pending
    if (clock.monotonic() - triedAt < cooldownMs) return Promise.resolve()
    triedAt = clock.monotonic()
    pending = load().finally(() => {
      pending = undefined
    })
    return pending
  }

  async function load(): Promise<void> {
    try {
      const get = createLocalJWKSet(readKeySet(await fetch(url)))
      keys = { get, fetchedAt: clock.monotonic() }
    } catch (cause) {
      onProblem(
        new SluiceError('issuer_unreachable', { message: `The keys at ${url} cannot be fetched.`, cause }),
      )
    }
  }

  async function freshKeys(): Promise<GetKey> {
    const age = keys === undefined ? dropAfterMs : clock.monotonic() - keys.fetchedAt
    if (age >= dropAfterMs) {
      keys = undefined
      await refresh()
    } else if (age >= refreshAfterMs) void refresh()
    if (keys !== undefined) return keys.get
    throw new SluiceError('issuer_unreachable')
  }

  return async (header, token) => {
    const get = await freshKeys()
    try {
      return await get(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      await refresh()
      return (keys?.get ?? get)(header, token)
    }
  }
}

/**
 * The keys of an answer. Whether a key is public and fits the token's algorithm is checked when it is
 * selected.
 */
function readKeySet({ status, body }: GuardedResponse): JSONWebKeySet {
  const content: unknown = status === 200 ? JSON.parse(Buffer.from(body).toString('utf8')) : undefined
  const listed = isJsonObject(content) ? content['keys'] : undefined
  if (!Array.isArray(listed)) throw new Error(`no key set, status ${status}`)
  const keys = listed.filter(isJsonObject).slice(0, maxKeys)
  return { keys: keys as JSONWebKeySet['keys'] } // each key is checked when it is imported
}
