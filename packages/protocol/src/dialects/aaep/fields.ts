import type { CoreEventName } from './wire/events.ts'
import { coreTypeNamed, envelopeFieldNames } from './wire.ts'

const summaryFields = ['summary_terse', 'summary_normal', 'summary_detailed']

const envelopeMapped = [
  '@context',
  'type',
  'event_id',
  'session_id',
  'timestamp',
  'producer',
  'urgency',
  'localization_hints',
  'correlation_id',
  'extensions',
]

/** The fields of a type that the model has. All others are kept as they are. */
export interface Fields {
  readonly mapped: ReadonlySet<string>
  /** Every field that AAEP defines. */
  readonly known: ReadonlySet<string>
  readonly hasSummaries: boolean
  readonly needsSummary: boolean
}

function createFields(known: ReadonlySet<string>, mapped: readonly string[], needsSummary = false): Fields {
  const hasSummaries = known.has('summary_normal')
  const names = hasSummaries ? [...mapped, ...summaryFields] : mapped
  return { mapped: new Set([...envelopeMapped, ...names]), known, hasSummaries, needsSummary }
}

const mappedFields: Record<CoreEventName, readonly string[]> = {
  'agent.session.started': ['request_text', 'tools_available'],
  'agent.session.completed': ['duration_ms'],
  'agent.session.errored': ['error_category', 'error_code', 'recoverable', 'remediation_hint'],
  'agent.session.cancelled': ['cancelled_by'],
  'agent.state.changed': ['from_state', 'to_state'],
  'agent.progress.updated': ['progress', 'eta_ms'],
  'agent.tool.invoked': ['tool', 'tool_call_id', 'args_summary', 'risk_level', 'irreversible'],
  'agent.tool.completed': ['tool', 'tool_call_id', 'status', 'duration_ms', 'error_message'],
  'agent.output.streaming': [
    'chunk',
    'position',
    'complete',
    'coalesce_hint',
    'output_id',
    'content_type',
    'language',
  ],
  'agent.awaiting.confirmation': [
    'action',
    'consequence',
    'reply_token',
    'timeout_seconds',
    'default_decision',
    'risk_level',
    'irreversible',
    'reversibility',
    'allowed_replies',
  ],
  'agent.awaiting.clarification': [
    'question',
    'reply_token',
    'timeout_seconds',
    'accepted_response_kinds',
    'choices',
    'default_response',
  ],
  'agent.handoff.requested': ['reason', 'target_kind', 'target_uri', 'packaged_context'],
}

const needSummary = /^agent\.(?:session|tool\.invoked)/

const coreFields = new Map(
  Object.entries(mappedFields).map(([name, mapped]): [string, Fields] => [
    name,
    createFields(coreTypeNamed(name as CoreEventName).fields, mapped, needSummary.test(name)), // a key of the record
  ]),
)
/** The fields of a type outside the core. */
export const extensionFields = createFields(envelopeFieldNames, [])

export function fieldsOf(name: CoreEventName | undefined): Fields {
  return (name === undefined ? undefined : coreFields.get(name)) ?? extensionFields
}
