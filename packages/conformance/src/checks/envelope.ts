import type { JsonObject, JsonValue } from '@sluice/protocol'
import { dialectById } from '@sluice/protocol/dialects'
import { type Check, type Evidence, judgeEach } from '../check.ts'
import { criticals, eventsOf, evidenceOn, objectOf, readingsOf, textOf, typeOf } from '../story.ts'
import type { Transcript } from '../transcript.ts'

const whyNone = 'No event came in.'
const coreContext = 'https://aaep-protocol.org/context/v1'
const coreTypes: ReadonlySet<string> = new Set(
  Object.keys(dialectById('aaep').schemas)
    .filter((name) => name.startsWith('agent.'))
    .map((name) => `aaep:${name}`),
)

type EventRule = (event: JsonObject) => readonly Flaw[]
/** A place in an event and what is wrong there. */
type Flaw = readonly [pointer: string, detail: string]

interface EventCheck {
  readonly id: string
  readonly section: string
  readonly sentence: string
  readonly rule: EventRule
  /** Selects the events to judge; all by default. */
  isConcerned?(event: JsonObject): boolean
  readonly whyNot?: string
}

function toCheck({
  id,
  section,
  sentence,
  rule,
  isConcerned,
  whyNot = whyNone,
}: EventCheck): Check<Transcript> {
  const toEvidence = ({ where, event }: Placed): readonly Evidence[] =>
    rule(event).map(([pointer, detail]) => evidenceOn({ where, event }, pointer, detail))
  return {
    id,
    level: 1,
    section,
    sentence,
    judge: (transcript) => {
      const events = readingsOf(transcript).flatMap(eventsIn)
      return judgeEach(
        events.filter(({ event }) => isConcerned?.(event) ?? true),
        toEvidence,
        whyNot,
      )
    },
  }
}

interface Placed {
  readonly where: string
  readonly event: JsonObject
}

function eventsIn(reading: Parameters<typeof eventsOf>[0]): readonly Placed[] {
  return eventsOf(reading).map(({ event }) => ({ where: reading.where, event }))
}

/** The findings of the strict schema on the top-level fields that `isConcerned` selects. */
function schemaFlaws(event: JsonObject, isConcerned: (field: string) => boolean): readonly Flaw[] {
  return (
    dialectById('aaep')
      .validate(event)
      .filter(({ path }) => isConcerned(path.split('/')[1] ?? ''))
      // Regular expressions do not help the reader of a report.
      .map(({ path, message }) => [path, message.replace(/ \(\^.*$/, '')])
  )
}

const hasFlawAt =
  (...fields: readonly string[]): EventRule =>
  (event) =>
    schemaFlaws(event, (field) => fields.includes(field))

const mandatory = ['@context', 'type', 'event_id', 'session_id', 'timestamp', 'producer']
const optional = [
  'aaep_version',
  'sequence_number',
  'verbosity',
  'localization_hints',
  'correlation_id',
  'extensions',
]
const judgedElsewhere = new Set([...mandatory, ...optional, 'urgency'])

/** The question checks judge `accept` where the schema requires `reject`. */
function isUnsafeDefault(event: JsonObject, field: string): boolean {
  return ['', 'default_decision'].includes(field) && event['default_decision'] === 'accept'
}

function forbidden(event: JsonObject): readonly Flaw[] {
  return Object.keys(event)
    .filter(
      (field) =>
        /^@(?:id|graph|base|vocab)$/.test(field) || (/^aaep_/.test(field) && field !== 'aaep_version'),
    )
    .map((field) => [`/${field}`, 'This field may not stand here.'])
}

function unknownType(event: JsonObject): readonly Flaw[] {
  const type = typeOf(event)
  const isKnown = type.startsWith('aaep:') ? coreTypes.has(type) : /^[A-Za-z][\w.+-]*:\S+$/.test(type)
  return isKnown ? [] : [['/type', 'The type is neither a core event nor one of an extension.']]
}

function undeclared(event: JsonObject): readonly Flaw[] {
  const extensions = objectOf(event, 'extensions') ?? {}
  const context = event['@context']
  const hasOthers = Array.isArray(context) && context.some((item: JsonValue) => item !== coreContext)
  return Object.keys(extensions).length > 0 && !hasOthers
    ? [['/extensions', '@context declares no extension.']]
    : []
}

function versionInName(event: JsonObject): readonly Flaw[] {
  const producer = objectOf(event, 'producer')
  const version = textOf(producer, 'agent_version')
  const isInside = version !== '' && textOf(producer, 'agent_id').includes(version)
  return isInside ? [['/producer/agent_id', 'The id holds agent_version.']] : []
}

const summaryFields = ['summary_terse', 'summary_normal', 'summary_detailed']
const speaking = [
  ...summaryFields,
  'chunk',
  'action',
  'consequence',
  'question',
  'reason',
  'description',
  'args_summary',
]

function hasText(event: JsonObject): boolean {
  return speaking.some((field) => textOf(event, field) !== '')
}

function unlocalized(event: JsonObject): readonly Flaw[] {
  const hasLanguage = textOf(objectOf(event, 'localization_hints'), 'primary_language') !== ''
  return hasLanguage ? [] : [['/localization_hints/primary_language', 'It is missing.']]
}

function urgency(event: JsonObject): readonly Flaw[] {
  const value = event['urgency']
  if (criticals.has(typeOf(event)))
    return value === 'critical' ? [] : [['/urgency', 'The urgency of this type is critical.']]
  return value === undefined || ['background', 'normal', 'critical'].includes(String(value))
    ? []
    : [['/urgency', 'It is none of background, normal and critical.']]
}

const eventChecks: readonly EventCheck[] = [
  {
    id: 'L1-ENV-002',
    section: 'AAEP §3.2',
    sentence: '@context is the AAEP 1 context, or a list that starts with it.',
    rule: hasFlawAt('@context'),
  },
  {
    id: 'L1-ENV-003',
    section: 'AAEP §3.2',
    sentence: 'type names a core event or an extension event.',
    rule: unknownType,
  },
  {
    id: 'L1-ENV-004',
    section: 'AAEP §3.2',
    sentence: 'event_id is evt_ followed by 1 to 64 letters or digits.',
    rule: hasFlawAt('event_id'),
  },
  {
    id: 'L1-ENV-005',
    section: 'AAEP §3.2',
    sentence: 'session_id is sess_ followed by 1 to 64 letters or digits.',
    rule: hasFlawAt('session_id'),
  },
  {
    id: 'L1-ENV-006',
    section: 'AAEP §3.2',
    sentence: 'timestamp is RFC 3339 with an offset and 0, 3 or 6 fractional digits.',
    rule: hasFlawAt('timestamp'),
  },
  {
    id: 'L1-ENV-007',
    section: 'AAEP §3.2',
    sentence: 'producer names the agent and has no unspecified fields.',
    rule: hasFlawAt('producer'),
  },
  {
    id: 'L1-ENV-008',
    section: 'AAEP §3.2',
    sentence: 'agent_id does not contain the agent version.',
    rule: versionInName,
    isConcerned: (event) => textOf(objectOf(event, 'producer'), 'agent_version') !== '',
    whyNot: 'No event tells the version of its agent.',
  },
  {
    id: 'L1-ENV-009',
    section: 'AAEP §3',
    sentence: 'The optional envelope fields match their schema.',
    rule: hasFlawAt(...optional),
    isConcerned: (event) => optional.some((field) => event[field] !== undefined),
    whyNot: 'No event has an optional field.',
  },
  {
    id: 'L1-ENV-010',
    section: 'AAEP §3',
    sentence: 'No top-level field has a reserved name: @id, @graph, @base, @vocab, aaep_….',
    rule: forbidden,
  },
  {
    id: 'L1-ENV-011',
    section: 'AAEP §3, §7',
    sentence: 'Extensions are declared in @context.',
    rule: undeclared,
    isConcerned: (event) => event['extensions'] !== undefined,
    whyNot: 'No event has an extension.',
  },
  {
    id: 'L1-EVT-001',
    section: 'AAEP §4',
    sentence: 'The fields of a core event match the schema of its type.',
    rule: (event) =>
      schemaFlaws(event, (field) => !judgedElsewhere.has(field) && !isUnsafeDefault(event, field)),
  },
  {
    id: 'L1-EVT-002',
    section: 'AAEP §3, §4',
    sentence: 'Errors, questions and handoffs are critical; urgency has a known value.',
    rule: urgency,
    isConcerned: (event) => event['urgency'] !== undefined || criticals.has(typeOf(event)),
    whyNot: 'No event has or needs an urgency.',
  },
  {
    id: 'L1-LOC-001',
    section: 'AAEP §11',
    sentence: 'An event with human-readable text names its language.',
    rule: unlocalized,
    isConcerned: hasText,
    whyNot: 'No event has text for people.',
  },
]

/** Judges each event alone: AAEP §3 and the fields of §4. */
export const envelopeChecks: readonly Check<Transcript>[] = [
  {
    id: 'L1-ENV-001',
    level: 1,
    section: 'AAEP §3, §8',
    sentence: 'Every message is one JSON object in UTF-8.',
    judge: (transcript) =>
      judgeEach(
        readingsOf(transcript).filter(({ items }) =>
          items.some(({ kind }) => kind === 'event' || kind === 'garbage'),
        ),
        ({ where, items }) =>
          items.flatMap((item) => (item.kind === 'garbage' ? [{ where, detail: item.detail }] : [])),
        whyNone,
      ),
  },
  ...eventChecks.map(toCheck),
  {
    id: 'L1-IDS-001',
    level: 1,
    section: 'AAEP §3.2',
    sentence: 'No two events have the same id.',
    judge: (transcript) =>
      judgeEach(
        readingsOf(transcript).filter((it) => eventsOf(it).length > 0),
        repeatedIds,
        whyNone,
      ),
  },
]

/** Ignores events that a resumption repeats: the resumption checks judge them. */
function repeatedIds(reading: Parameters<typeof eventsOf>[0]): readonly Evidence[] {
  const seen = new Map<string, number>()
  let connection = 0
  return reading.items.flatMap((item) => {
    if (item.kind === 'resumed') connection += 1
    if (item.kind !== 'event') return []
    const id = textOf(item.event, 'event_id')
    const before = seen.get(id)
    seen.set(id, connection)
    return before === connection
      ? [evidenceOn({ where: reading.where, event: item.event }, '/event_id', 'It came before.')]
      : []
  })
}
