import type { JsonObject } from '@sluice/protocol'
import { CompactSign, exportJWK, generateKeyPair } from 'jose'
import { agentId } from './agent.ts'
import type { Behaviour } from './behaviour.ts'

/** The manifest of the test producer, its keys and its signature. */
export interface Signer {
  readonly manifest: JsonObject
  readonly jwks: JsonObject
  /** The manifest as a compact JWS. */
  readonly signed: string
}

const manifest: JsonObject = {
  '@context': 'https://aaep-protocol.org/context/v1',
  type: 'aaep:producer.manifest',
  agent_id: agentId,
  aaep_versions_supported: ['1.0.0'],
  conformance_levels_supported: [1, 2, 3],
  transports_supported: ['sse', 'websocket'],
}

export async function createSigner(behaviour: Behaviour): Promise<Signer> {
  const published = await generateKeyPair('ES256', { extractable: true })
  const other = await generateKeyPair('ES256', { extractable: true })
  const { privateKey } = behaviour.signsWithAnotherKey ? other : published
  const { kty, crv, x, y } = await exportJWK(published.publicKey)
  const jwks = { keys: [{ kty, crv, x, y, kid: 'one', alg: 'ES256' }] }
  const payload = new TextEncoder().encode(JSON.stringify(behaviour.claims(manifest)))
  return {
    manifest,
    jwks: JSON.parse(JSON.stringify(jwks)) as JsonObject, // made of the strings above
    signed: await new CompactSign(payload).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey),
  }
}
