import { type JsonObject, omitUndefined } from '@sluice/protocol'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { parseObject } from '../parse-object.ts'
import { textOf } from '../story.ts'
import type { ManifestProbe, Probe } from '../transcript.ts'
import { type Answer, get, isSameOrigin } from './http-request.ts'
import type { ConnectOptions } from './subscription.ts'

/** Reads the manifest, and checks its signature with the keys that the producer publishes. */
export async function readManifest(
  options: ConnectOptions,
  probes: readonly Probe[],
  jwks: string,
): Promise<ManifestProbe> {
  const address = `${options.url}/.well-known/aaep-manifest.json`
  const own = await get(options, address, 'application/json')
  // The suite reads only from the producer's own origin, whatever URL it names.
  const named = probes
    .map(({ answer }) => textOf(answer, 'manifest_uri'))
    .find((uri) => isSameOrigin(uri, options.url))
  const plain =
    own.status === 200 || named === undefined ? own : await get(options, named, 'application/json')
  const manifest = parseObject(plain.body)
  const jws = await findSigned(options, address, probes)
  const signed =
    jws === undefined ? undefined : await verify(jws, await get(options, jwks, 'application/json'))
  return omitUndefined({ status: plain.status, manifest, signed })
}

async function findSigned(
  options: ConnectOptions,
  address: string,
  probes: readonly Probe[],
): Promise<string | undefined> {
  const inline = probes.map(({ answer }) => textOf(answer, 'signed_manifest')).find((text) => text !== '')
  if (inline !== undefined) return inline
  const { status, type, body } = await get(options, address, 'application/jose')
  return status === 200 && type.startsWith('application/jose') ? body.trim() : undefined
}

async function verify(jws: string, { status, body }: Answer): Promise<NonNullable<ManifestProbe['signed']>> {
  const keys = parseObject(body)
  if (status !== 200 || !Array.isArray(keys?.['keys']))
    return { isGenuine: false, detail: `The keys are not published: status ${status}.` }
  try {
    const set = createLocalJWKSet(keys as unknown as JSONWebKeySet) // it has `keys`; jose checks each of them
    const { payload } = await compactVerify(jws, set, { algorithms: ['ES256', 'RS256'] })
    const claims: JsonObject | undefined = parseObject(new TextDecoder().decode(payload))
    return claims === undefined
      ? { isGenuine: false, detail: 'What is signed is no JSON object.' }
      : { isGenuine: true, detail: '', claims }
  } catch {
    return { isGenuine: false, detail: 'No published key made this signature.' }
  }
}
