import { omitUndefined } from '@sluice/protocol'
import { type AaepMessage, aaepContext, sluiceContext } from '@sluice/protocol/dialects'
import type { GatewayConfig } from '../../config/config.ts'
import { version } from '../../ops/version.ts'
import type { SigningKeys } from './signing-keys.ts'

/** How a gateway describes itself to its subscribers, in `subscription.accepted`. */
export type AaepProducer = AaepMessage<'subscription.accepted'>['producer']

/** The contexts of the extensions that the gateway knows. */
export const aaepExtensions: readonly string[] = [sluiceContext]

export interface ManifestParts {
  readonly config: GatewayConfig['aaep']
  /** The languages in which the gateway can phrase sentences. */
  readonly languages: readonly string[]
  readonly keys: SigningKeys
}

/** The manifest of a gateway (AAEP §5.10). */
export interface Manifest {
  readonly producer: AaepProducer
  /** The JSON text that the signature covers. */
  readonly text: string
  readonly isSigned: boolean
  /** As a compact JWS; undefined when no key is active. */
  signed(): Promise<string | undefined>
}

export function createManifest({ config, languages, keys }: ManifestParts): Manifest {
  const producer: AaepProducer = {
    agent_id: config.agent,
    agent_version: version,
    agent_name: config.name,
  }
  const text = JSON.stringify({
    '@context': [aaepContext, ...aaepExtensions],
    type: 'aaep:producer.manifest',
    ...producer,
    aaep_versions_supported: ['1.0.0'],
    conformance_levels_supported: [1, 2, 3],
    transports_supported: ['sse', 'websocket', 'stdio-jsonrpc', 'unix-socket'],
    languages_supported: languages,
    // Agents may send event types of other vocabularies, which pass unchanged.
    event_types_emitted: ['aaep:agent.*', 'sluice:*', '*'],
    extensions_supported: aaepExtensions,
    default_verbosity: 'normal',
    max_concurrent_subscriptions: config.subscriptions,
    ...omitUndefined({ contact: config.contact }),
  })
  let made: { readonly kid: string; readonly jws: Promise<string | undefined> } | undefined
  return {
    producer,
    text,
    get isSigned() {
      return keys.activeKid() !== undefined
    },
    signed() {
      const kid = keys.activeKid()
      if (kid === undefined) return Promise.resolve(undefined)
      // ES256 signatures of one text differ, and clients may compare them: the manifest is signed once per
      // key.
      if (made?.kid !== kid) made = { kid, jws: keys.sign(text) }
      return made.jws
    },
  }
}
