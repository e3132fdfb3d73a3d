import Type from 'typebox'

const draft = 'https://json-schema.org/draft/2020-12/schema'

/** AAEP §3: the first or only context of every event. */
export const coreContext = 'https://aaep-protocol.org/context/v1'

/** Declares the extension prefix `sluice`. */
export const sluiceContext = 'urn:sluice:context:v1'

export const maxChunk = 16_384
export const maxTerse = 4096
export const maxText = 16_384
export const maxDurationMs = 86_400_000
export const maxTimeoutSeconds = 86_400

/** RFC 3339 with `Z` or an offset, without a fraction or with one of three or six digits (AAEP §3). */
export const timestampPattern =
  '^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3]):[0-5]\\d:(?:[0-5]\\d|60)(?:\\.\\d{3}(?:\\d{3})?)?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)$'
export const languagePattern = '^[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*$'
export const toolPattern = '^[A-Za-z_][A-Za-z0-9_.-]{0,255}$'
export const contentTypePattern = '^[a-zA-Z][a-zA-Z0-9.+_-]*/[a-zA-Z][a-zA-Z0-9.+_-]*$'
export const errorCodePattern = '^[A-Z][A-Z0-9_]{1,63}$'
export const reasonPattern = '^[a-z][a-z0-9_]{1,63}$'

/** AAEP's ids: a prefix and 1 to 64 letters or digits. */
export function idPattern(prefix: 'evt' | 'sess' | 'call' | 'out' | 'rpl' | 'sub'): string {
  return `^${prefix}_[A-Za-z0-9]{1,64}$`
}

export const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
export const textOrEmpty = (maxLength: number) => Type.String({ maxLength })
export const milliseconds = Type.Integer({ minimum: 0, maximum: maxDurationMs })
export const count = Type.Integer({ minimum: 0 })
export const uri = Type.String({ format: 'uri' })
export const language = Type.String({ pattern: languagePattern })
export const timestamp = Type.String({ pattern: timestampPattern })
export const replyToken = Type.String({ pattern: idPattern('rpl') })
export const subscriptionId = Type.String({ pattern: idPattern('sub') })
export const semver = Type.String({ pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+(-[A-Za-z0-9.-]+)?$' })
export const riskLevel = Type.Enum(['low', 'medium', 'high'])
export const verbosity = Type.Enum(['terse', 'normal', 'detailed'])
export const boundary = Type.Enum(['none', 'word', 'sentence', 'paragraph', 'completion'])
export const anyObject = Type.Record(Type.String(), Type.Unknown())

/** The `$schema`, `$id`, title and description of a published schema. */
export function published(name: string, title: string, description: string) {
  return { $schema: draft, $id: `urn:sluice:schema:aaep:${name}`, title, description }
}
