import { createPrivateKey } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Clock, SluiceError } from '@sluice/protocol'
import { CompactSign } from 'jose'
import { readPrivateFile } from '../../access/private-file.ts'
import { watchFile } from '../../access/watched-file.ts'
import {
  type PublicJwks,
  parseSigningKeys,
  type SigningKey,
  signingKeyFileOf,
  toJwks,
} from './signing-key-file.ts'

/** The keys that sign the gateway's manifest. */
export interface SigningKeys {
  /** The id of the active key; undefined when nothing is signed. */
  activeKid(): string | undefined
  /** A compact JWS with ES256 over the text (RFC 7515); undefined when nothing is signed. */
  sign(text: string): Promise<string | undefined>
  /** The public keys that verify the signatures. */
  jwks(): PublicJwks
}

/** No keys: nothing is signed. */
export const noSigningKeys: SigningKeys = {
  activeKid: () => undefined,
  sign: async () => undefined,
  jwks: () => ({ keys: [] }),
}

/**
 * The signing keys of a data directory. Changes of the file take effect immediately. Throws `bad_config` when
 * the file is bad, or anyone but its owner may read it.
 */
export function openSigningKeys(
  dataDir: string,
  { clock, onProblem }: { readonly clock: Clock; readonly onProblem: (error: SluiceError) => void },
): SigningKeys {
  const path = signingKeyFileOf(dataDir)
  if (existsSync(path)) readPrivateFile(path)
  const file = watchFile(path, { clock, parse: (text) => parseSigningKeys(path, text), onProblem })
  const active = (): SigningKey | undefined => file.current().find(({ state }) => state === 'active')
  return {
    activeKid: () => active()?.kid,
    async sign(text) {
      const key = active()
      if (key?.d === undefined) return undefined
      const { x, y, d, kid } = key
      const secret = createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x, y, d }, format: 'jwk' })
      return new CompactSign(new TextEncoder().encode(text))
        .setProtectedHeader({ alg: 'ES256', kid, typ: 'JOSE', cty: 'json' })
        .sign(secret)
    },
    jwks: () => toJwks(file.current(), clock.now()),
  }
}
