import type { JsonObject } from '@sluice/protocol'
import { textOf } from '../story.ts'
import type { Behaviour } from './behaviour.ts'

/** One thing that a producer does wrong, and the check that must find it. */
export interface Defect {
  readonly check: string
  readonly says: string
  readonly behaviour: Partial<Behaviour>
  /** Only over this transport can it be seen. */
  readonly transport?: 'sse' | 'ws'
  /** It is found as a warning. */
  readonly isAdvice?: true
}

type Change = (event: JsonObject) => readonly JsonObject[]

/** Changes the events of one type, and leaves the others alone. */
function on(type: string, change: Change): Partial<Behaviour> {
  return { emit: (event) => (textOf(event, 'type') === `aaep:agent.${type}` ? change(event) : [event]) }
}

const first = (type: string, fields: JsonObject): Partial<Behaviour> =>
  on(type, (event) => [{ ...event, ...fields }])

const withId = (event: JsonObject, id: string): JsonObject => ({
  ...event,
  event_id: `${textOf(event, 'event_id')}${id}`,
})

function without(event: JsonObject, field: string): JsonObject {
  const { [field]: _, ...rest } = event
  return rest
}

const isCall = (event: JsonObject, call: string): boolean => event['tool_call_id'] === call

/** Defects that show in the events themselves. */
const eventDefects: readonly Defect[] = [
  { check: 'L1-RUN-001', says: 'sends nothing', behaviour: { isSilent: true } },
  {
    check: 'L1-ENV-001',
    says: 'sends a list',
    behaviour: {
      encode: (event) => [JSON.stringify(event), JSON.stringify([event])],
    },
  },
  {
    check: 'L1-ENV-002',
    says: 'leaves @context out',
    behaviour: on('progress.updated', (it) => [without(it, '@context')]),
  },
  {
    check: 'L1-ENV-003',
    says: 'invents a core type',
    behaviour: first('progress.updated', { type: 'aaep:agent.progress.guessed' }),
  },
  {
    check: 'L1-ENV-004',
    says: 'has ids of another form',
    behaviour: on('progress.updated', (it) => [withId(it, '-1')]),
  },
  {
    check: 'L1-ENV-005',
    says: 'has session ids of another form',
    behaviour: { emit: (event) => [{ ...event, session_id: `${textOf(event, 'session_id')}-1` }] },
  },
  {
    check: 'L1-ENV-006',
    says: 'tells four digits of a second',
    behaviour: on('progress.updated', (it) => [
      { ...it, timestamp: textOf(it, 'timestamp').replace('Z', '0Z') },
    ]),
  },
  {
    check: 'L1-ENV-007',
    says: 'names no agent',
    behaviour: first('progress.updated', { producer: { model: 'one' } }),
  },
  {
    check: 'L1-ENV-008',
    says: 'has its version in its name',
    behaviour: first('progress.updated', { producer: { agent_id: 'agent-2.1.0', agent_version: '2.1.0' } }),
  },
  {
    check: 'L1-ENV-009',
    says: 'has an unknown verbosity',
    behaviour: first('progress.updated', { verbosity: 'chatty' }),
  },
  {
    check: 'L1-ENV-010',
    says: 'has a reserved field',
    behaviour: first('progress.updated', { aaep_mood: 'good' }),
  },
  {
    check: 'L1-ENV-011',
    says: 'declares no extension',
    behaviour: first('progress.updated', { extensions: { acme: {} } }),
  },
  {
    check: 'L1-EVT-001',
    says: 'has an empty progress',
    behaviour: first('progress.updated', { progress: {} }),
  },
  {
    check: 'L1-EVT-002',
    says: 'has questions of normal urgency',
    behaviour: first('awaiting.clarification', { urgency: 'normal' }),
  },
  {
    check: 'L1-LOC-001',
    says: 'names no language',
    behaviour: on('output.streaming', (it) => [without(it, 'localization_hints')]),
  },
  {
    check: 'L1-IDS-001',
    says: 'repeats an id',
    behaviour: {
      emit: (event) => [
        /tool\.completed|session\.completed/.test(textOf(event, 'type')) && !isCall(event, 'call_1')
          ? { ...event, event_id: `evt_${textOf(event, 'session_id').slice(5)}` }
          : event,
      ],
    },
  },
  {
    check: 'L1-SEQ-001',
    says: 'starts twice',
    behaviour: on('session.started', (it) => [it, withId(it, '1')]),
  },
  {
    check: 'L1-SEQ-002',
    says: 'ends twice',
    behaviour: on('session.completed', (it) => [
      it,
      { ...withId(it, '1'), type: 'aaep:agent.session.cancelled', cancelled_by: 'producer' },
    ]),
  },
  {
    check: 'L1-SEQ-003',
    says: 'goes on behind the end',
    behaviour: on('session.completed', (it) => [
      it,
      { ...withId(it, '1'), type: 'aaep:agent.progress.updated', progress: { percent: 100 } },
    ]),
  },
  {
    check: 'L1-SEQ-004',
    says: 'goes back in time',
    behaviour: on('tool.completed', (it) => [
      { ...it, timestamp: new Date(Date.parse(textOf(it, 'timestamp')) - 600).toISOString() },
    ]),
  },
  {
    check: 'L1-SEQ-005',
    says: 'leaves a number out',
    behaviour: { number: (nth) => (nth < 5 ? nth : nth + 1) },
  },
  {
    check: 'L1-SEQ-006',
    says: 'breaks the chain of states',
    behaviour: on('state.changed', (it) => [
      it['from_state'] === 'idle' ? { ...it, from_state: 'deciding' } : it,
    ]),
  },
  {
    check: 'L1-TOOL-001',
    says: 'completes a tool twice',
    behaviour: on('tool.completed', (it) => [it, withId(it, '1')]),
  },
  {
    check: 'L1-TOOL-002',
    says: 'leaves a tool open',
    behaviour: on('tool.completed', (it) => (isCall(it, 'call_4') ? [] : [it])),
  },
  {
    check: 'L1-TOOL-003',
    says: 'uses the id of a call twice',
    behaviour: {
      emit: (event) => [isCall(event, 'call_4') ? { ...event, tool_call_id: 'call_1' } : event],
    },
  },
  {
    check: 'L1-OUT-001',
    says: 'never completes a text',
    behaviour: on('output.streaming', (it) => [{ ...it, complete: false, coalesce_hint: 'sentence' }]),
  },
  {
    check: 'L1-OUT-002',
    says: 'writes on behind the last chunk',
    behaviour: on('output.streaming', (it) =>
      it['complete'] === true
        ? [
            it,
            {
              ...withId(it, '1'),
              position: Number(it['position']) + textOf(it, 'chunk').length,
              chunk: 'P.S.',
              complete: false,
              coalesce_hint: 'none',
            },
          ]
        : [it],
    ),
  },
  {
    check: 'L1-OUT-003',
    says: 'counts bytes',
    behaviour: on('output.streaming', (it) => [{ ...it, position: Number(it['position']) * 2 }]),
  },
  {
    check: 'L1-SAFE-001',
    says: 'shows a key',
    behaviour: first('tool.invoked', { args_summary: 'api_key=c0ffee-c0ffee' }),
    isAdvice: true,
  },
  {
    check: 'L1-SSE-001',
    says: 'frames without a name',
    behaviour: { frameName: 'message' },
    transport: 'sse',
  },
]

/** Defects of questions and replies. */
const questionDefects: readonly Defect[] = [
  {
    check: 'L2-CONF-001',
    says: 'accepts by default',
    behaviour: first('awaiting.confirmation', { reversibility: 'irreversible', default_decision: 'accept' }),
  },
  {
    check: 'L2-CONF-003',
    says: 'asks behind the deed',
    behaviour: on('tool.invoked', (it) => [isCall(it, 'call_1') ? { ...it, irreversible: true } : it]),
  },
  { check: 'L2-CONF-002', says: 'uses a token twice', behaviour: { reusesTokens: true } },
  { check: 'L2-CONF-004', says: 'does not wait', behaviour: { isImpatient: true } },
  { check: 'L2-CONF-005', says: 'acts in spite of a rejection', behaviour: { actsOnRejection: true } },
  { check: 'L2-CONF-006', says: 'falls silent at a rejection', behaviour: { isSilentAfterRejection: true } },
  { check: 'L2-CONF-007', says: 'ignores an acceptance', behaviour: { ignoresAcceptance: true } },
  { check: 'L2-CONF-008', says: 'hides the outcome', behaviour: { hidesOutcomes: true }, isAdvice: true },
  { check: 'L2-CLAR-001', says: 'ignores answers', behaviour: { ignoresAnswers: true } },
  {
    check: 'L2-CLAR-002',
    says: 'names no choices',
    behaviour: first('awaiting.clarification', { accepted_response_kinds: ['numeric', 'multiple_choice'] }),
  },
  { check: 'L2-REPLY-001', says: 'takes forged replies', behaviour: { takesForgedReplies: true } },
  { check: 'L2-REPLY-002', says: 'tells why', behaviour: { tellsWhy: true } },
  { check: 'L2-REPLY-003', says: 'takes replays', behaviour: { takesReplays: true } },
  { check: 'L2-REPLY-004', says: 'takes answers of any kind', behaviour: { takesIllTypedReplies: true } },
  { check: 'L2-REPLY-005', says: 'takes late replies', behaviour: { takesLateReplies: true } },
  { check: 'L2-TIME-001', says: 'gives up early', behaviour: { patience: 0.2 } },
  { check: 'L2-TIME-002', says: 'never times out', behaviour: { patience: Number.POSITIVE_INFINITY } },
  { check: 'L2-TIME-003', says: 'acts at the timeout', behaviour: { actsOnDefault: true } },
]

const honor = (fields: JsonObject): Partial<Behaviour> => ({
  accept: (accepted, request) => ({
    ...accepted,
    honored_capabilities: { ...(request['capabilities'] as JsonObject), x_conformance: {}, ...fields }, // sent by the suite
  }),
})

/** Defects of the handshake, of terms and of resumption. */
const termsDefects: readonly Defect[] = [
  {
    check: 'L3-NEG-001',
    says: 'accepts without a version',
    behaviour: { accept: (it) => without(it, 'aaep_version') },
  },
  { check: 'L3-NEG-002', says: 'honours more languages', behaviour: honor({ languages: ['en-US', 'de'] }) },
  { check: 'L3-NEG-003', says: 'takes any version', behaviour: { overlooks: 'version_unsupported' } },
  {
    check: 'L3-NEG-004',
    says: 'is silent about nonsense',
    behaviour: { reject: (it) => (it['reason_code'] === 'unknown' ? undefined : it) },
  },
  {
    check: 'L3-NEG-005',
    says: 'takes any capability',
    behaviour: { overlooks: 'capabilities_incompatible' },
  },
  {
    check: 'L3-NEG-006',
    says: 'gives no message',
    behaviour: { reject: (it) => without(it, 'reason_message') },
  },
  { check: 'L3-NEG-007', says: 'rejects what it does not know', behaviour: { isNarrowMinded: true } },
  {
    check: 'L3-NEG-008',
    says: 'has no signature',
    behaviour: { accept: (it) => without(it, 'signed_manifest') },
  },
  { check: 'L3-CRIT-001', says: 'filters critical events', behaviour: { filtersCriticals: true } },
  { check: 'L3-CRIT-002', says: 'holds critical events', behaviour: { holdsCriticals: true } },
  { check: 'L3-FILT-001', says: 'ignores filters', behaviour: { ignoresFilters: true } },
  { check: 'L3-FILT-002', says: 'filters too much', behaviour: { filtersTools: true } },
  { check: 'L3-ORD-001', says: 'changes the order', behaviour: { swapsToolEvents: true } },
  { check: 'L3-ISO-001', says: 'holds all for one', behaviour: { holdsAllForTheSlow: true } },
  { check: 'L3-RATE-001', says: 'keeps no rate', behaviour: { keepsNoRate: true } },
  { check: 'L3-RATE-002', says: 'loses text', behaviour: { losesJoinedText: true } },
  { check: 'L3-RATE-003', says: 'claims completion', behaviour: { claimsCompletion: true } },
  { check: 'L3-REN-001', says: 'ignores a renegotiation', behaviour: { ignoresRenegotiation: true } },
  { check: 'L3-REN-002', says: 'keeps the old terms', behaviour: { keepsOldTerms: true } },
  { check: 'L3-CLOSE-001', says: 'goes on when closed', behaviour: { ignoresClose: true } },
  { check: 'L3-RES-001', says: 'loses events', behaviour: { losesOnResume: true } },
  { check: 'L3-RES-002', says: 'repeats events', behaviour: { repeatsOnResume: true } },
  { check: 'L3-RES-003', says: 'does not tell the state', behaviour: { hidesState: true } },
  { check: 'L3-MAN-001', says: 'has no manifest', behaviour: { manifest: () => undefined } },
  {
    check: 'L3-MAN-002',
    says: 'has the manifest of another',
    behaviour: { manifest: (it) => ({ ...it, agent_id: 'another' }) },
  },
  { check: 'L3-MAN-003', says: 'fakes its signature', behaviour: { signsWithAnotherKey: true } },
  {
    check: 'L3-MAN-004',
    says: 'signs the manifest of another',
    behaviour: { claims: (it) => ({ ...it, agent_id: 'another' }) },
  },
]

/** One defect for each check. */
export const defects: readonly Defect[] = [...eventDefects, ...questionDefects, ...termsDefects]
