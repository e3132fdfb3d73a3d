import { type Clock, isJsonObject, SluiceError } from '@sluice/protocol'
import { decodeJwt, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { JwtIssuer } from '../config/config.ts'
import { reservedSubjects } from './caller.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { createJwks } from './jwks.ts'
import { isHmac, loadKeyFile } from './jwt-key.ts'

/** The claims of a verified JWT. */
export interface VerifiedJwt {
  readonly subject: string
  readonly grants: readonly string[]
  readonly agent: string | undefined
  /** In milliseconds. */
  readonly expiresAt: number
}

/** Throws `unauthenticated`, `token_expired`, or `issuer_unreachable`. */
export type JwtVerifier = (token: string) => Promise<VerifiedJwt>

export interface JwtParts {
  readonly clock: Clock
  onProblem(error: SluiceError): void
  /** Aborts fetches of keys. */
  readonly signal?: AbortSignal | undefined
}

/** How far the clock of an issuer may be ahead of ours. For the expiry of a token, only our clock counts. */
const toleranceMs = 30_000
const maxSubjectLength = 256

/** Accepts the tokens of these issuers, each only with the algorithm configured for it. */
export async function createJwtVerifier(
  issuers: readonly JwtIssuer[],
  parts: JwtParts,
): Promise<JwtVerifier> {
  const byName = new Map<string, TrustedIssuer>()
  for (const issuer of issuers) {
    if (byName.has(issuer.issuer))
      throw new SluiceError('bad_config', { message: `The issuer ${issuer.issuer} is configured twice.` })
    byName.set(issuer.issuer, { issuer, getKey: await createGetKey(issuer, parts) })
  }

  return async (token) => {
    const trusted = byName.get(readIssuer(token))
    if (trusted === undefined)
      throw new SluiceError('unauthenticated', { message: 'The issuer is not known.' })
    const payload = await verify(token, trusted, parts.clock.now())
    return readClaims(payload, trusted.issuer.subjectPrefix ?? '')
  }
}

interface TrustedIssuer {
  readonly issuer: JwtIssuer
  readonly getKey: JWTVerifyGetKey
}

async function createGetKey(
  issuer: JwtIssuer,
  { clock, onProblem, signal }: JwtParts,
): Promise<JWTVerifyGetKey> {
  const { jwks: url, key, algorithm, allowPrivate = false } = issuer
  const bad = (message: string) =>
    new SluiceError('bad_config', { message: `The issuer ${issuer.issuer} ${message}` })
  if (key !== undefined && url === undefined) return loadKeyFile(key, algorithm)
  if (url === undefined || key !== undefined) throw bad('needs one of jwks and key.')
  if (isHmac(algorithm)) throw bad(`needs key: a secret for ${algorithm} is not published.`)
  return createJwks({ url, clock, onProblem, fetch: (from) => guardedFetch(from, { allowPrivate, signal }) })
}

async function verify(
  token: string,
  { issuer: { issuer, audience, algorithm }, getKey }: TrustedIssuer,
  nowMs: number,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, getKey, {
      issuer,
      audience,
      algorithms: [algorithm],
      requiredClaims: ['exp', 'aud', 'iss', 'sub'],
      clockTolerance: toleranceMs / 1000,
      currentDate: new Date(nowMs),
    })
    if ((payload.exp ?? 0) * 1000 <= nowMs) throw new SluiceError('token_expired')
    return payload
  } catch (cause) {
    if (cause instanceof SluiceError) throw cause
    // The errors of jose contain the claims, which must not be logged.
    const reason = cause instanceof Error ? cause.message : undefined
    const code = cause instanceof errors.JWTExpired ? 'token_expired' : 'unauthenticated'
    throw new SluiceError(code, { cause: reason })
  }
}

/** Not verified yet: only selects the issuer whose keys must have signed the token. */
function readIssuer(token: string): string {
  try {
    return decodeJwt(token).iss ?? ''
  } catch (cause) {
    throw new SluiceError('unauthenticated', { cause })
  }
}

function readClaims({ sub = '', exp = 0, sluice }: JWTPayload, prefix: string): VerifiedJwt {
  const subject = `${prefix}${sub}`
  const own = sluice === undefined ? {} : sluice
  if (!isJsonObject(own)) throw unreadable('The claim sluice is not an object.')
  const { grants = [], agent } = own
  if (sub === '' || subject.length > maxSubjectLength || reservedSubjects.includes(subject))
    throw unreadable('The claim sub names nobody.')
  if (!Array.isArray(grants) || !grants.every((grant) => typeof grant === 'string'))
    throw unreadable('The claim sluice.grants is not a list of texts.')
  if (agent !== undefined && typeof agent !== 'string') throw unreadable('The claim sluice.agent is no text.')
  return { subject, grants, agent, expiresAt: exp * 1000 }
}

function unreadable(message: string): SluiceError {
  return new SluiceError('unauthenticated', { message })
}
