import type { JsonObject, JsonValue } from '../../json.ts'
import { type Checker, createChecker } from '../../schemas/check.ts'
import { envelopeSchema, type WireEnvelope } from './wire/envelope.ts'
import { type CoreEventName, coreEventSchemas, type WireEvent } from './wire/events.ts'
import { manifestSchema, messageSchemas } from './wire/messages.ts'

/** Every AAEP message by name. */
export const aaepSchemas = {
  envelope: envelopeSchema,
  ...coreEventSchemas,
  ...messageSchemas,
  'producer.manifest': manifestSchema,
}

const sections: Record<CoreEventName, string> = {
  'agent.session.started': 'AAEP §4.1.1',
  'agent.session.completed': 'AAEP §4.1.2',
  'agent.session.errored': 'AAEP §4.1.3',
  'agent.session.cancelled': 'AAEP §4.1.4',
  'agent.state.changed': 'AAEP §4.2.1',
  'agent.progress.updated': 'AAEP §4.2.2',
  'agent.tool.invoked': 'AAEP §4.3.1',
  'agent.tool.completed': 'AAEP §4.3.2',
  'agent.output.streaming': 'AAEP §4.3.3',
  'agent.awaiting.confirmation': 'AAEP §4.4.1',
  'agent.awaiting.clarification': 'AAEP §4.4.2',
  'agent.handoff.requested': 'AAEP §4.4.3',
}

export interface CoreType {
  readonly name: CoreEventName
  readonly type: string
  readonly isCritical: boolean
  readonly checker: Checker
  readonly hasSummaries: boolean
  /** The fields that its schema names. */
  readonly fields: ReadonlySet<string>
}

const criticalNames: ReadonlySet<CoreEventName> = new Set([
  'agent.session.errored',
  'agent.awaiting.confirmation',
  'agent.awaiting.clarification',
  'agent.handoff.requested',
])

const coreTypes: ReadonlyMap<string, CoreType> = new Map(
  Object.entries(coreEventSchemas).map(([key, schema]) => {
    const name = key as CoreEventName // a key of the object
    const core: CoreType = {
      name,
      type: `aaep:${name}`,
      isCritical: criticalNames.has(name),
      checker: createChecker(schema, sections[name]),
      hasSummaries: 'summary_normal' in schema.properties,
      fields: new Set(Object.keys(schema.properties)),
    }
    return [core.type, core]
  }),
)

export const envelopeChecker = createChecker(envelopeSchema, 'AAEP §3.2')
export const envelopeFieldNames: ReadonlySet<string> = new Set(Object.keys(envelopeSchema.properties))

const messageCheckers: ReadonlyMap<string, Checker> = new Map([
  ...Object.entries(messageSchemas).map(([name, schema]): [string, Checker] => [
    name,
    createChecker(schema, name.endsWith('.reply') ? 'AAEP §6' : 'AAEP §5'),
  ]),
  ['aaep:producer.manifest', createChecker(manifestSchema, 'AAEP §5.10')],
])

/** The core event of this type, which must be in compact form. */
export function coreTypeOf(type: JsonValue | undefined): CoreType | undefined {
  return typeof type === 'string' ? coreTypes.get(type) : undefined
}

export function coreTypeNamed(name: CoreEventName): CoreType {
  const core = coreTypes.get(`aaep:${name}`)
  if (core === undefined) throw new TypeError(`no core event ${name}`)
  return core
}

/** The checker for a message that is not an event; undefined if this is not the type of one. */
export function messageCheckerOf(type: JsonValue | undefined): Checker | undefined {
  return typeof type === 'string' ? messageCheckers.get(type) : undefined
}

/**
 * The full forms of a type equal the compact one (AAEP §2 and the published context have different bases).
 */
const typeBases = ['https://aaep-protocol.org/types/', 'https://aaep-protocol.org/vocab/v1#']

export function toCompactType(type: string): string {
  for (const base of typeBases) if (type.startsWith(base)) return `aaep:${type.slice(base.length)}`
  return type
}

/** The checker that decides whether an outgoing frame is strictly valid. */
export function checkerOf(value: JsonObject): Checker {
  return coreTypeOf(value['type'])?.checker ?? messageCheckerOf(value['type']) ?? envelopeChecker
}

/** Any event: a core event or an extension. */
export type AaepFrame = { [Name in CoreEventName]: WireEvent<Name> }[CoreEventName] | WireEnvelope
