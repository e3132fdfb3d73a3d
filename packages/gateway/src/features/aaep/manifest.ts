import { type AaepMessage, aaepContext, sluiceContext } from '@sluice/protocol/dialects'
import type { GatewayConfig } from '../../config/config.ts'
import { version } from '../../ops/version.ts'
import type { SigningKeys } from './signing-keys.ts'

/** What a gateway is to its subscribers, in `subscription.accepted`. */
export type AaepProducer = AaepMessage<'subscription.accepted'>['producer']

/** The contexts of the extensions that the gateway knows. */
export const aaepExtensions: readonly string[] = [sluiceContext]

export interface ManifestParts {
  readonly config: GatewayConfig['aaep']
  /** In which the gateway has sentences of its own. */
  readonly languages: readonly string[]
  readonly keys: SigningKeys
}

/** The manifest of a gateway (AAEP §5.10). */
export interface Manifest {
  readonly producer: AaepProducer
  /** As JSON. What is signed is this text. */
  readonly text: string
  readonly isSigned: boolean
  /** As a compact JWS; undefined when no key signs. */
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
    // Agents may send types of their own; those come as they are.
    event_types_emitted: ['aaep:agent.*', 'sluice:*', '*'],
    extensions_supported: aaepExtensions,
    default_verbosity: 'normal',
    max_concurrent_subscriptions: config.subscriptions,
    ...(config.contact === undefined ? {} : { contact: config.contact }),
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
      // Every signature with ES256 is another one: clients may compare what they get.
      if (made?.kid !== kid) made = { kid, jws: keys.sign(text) }
      return made.jws
    },
  }
}
