import type { JsonObject } from '@sluice/protocol'
import { textOf } from '../story.ts'
import { type Defect, isCall, on, withFields, without } from './defect.ts'

const withId = (event: JsonObject, id: string): JsonObject => ({
  ...event,
  event_id: `${textOf(event, 'event_id')}${id}`,
})

/** Defects that show in the events themselves. */
export const eventDefects: readonly Defect[] = [
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
    behaviour: withFields('progress.updated', { type: 'aaep:agent.progress.guessed' }),
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
    behaviour: withFields('progress.updated', { producer: { model: 'one' } }),
  },
  {
    check: 'L1-ENV-008',
    says: 'has its version in its name',
    behaviour: withFields('progress.updated', {
      producer: { agent_id: 'agent-2.1.0', agent_version: '2.1.0' },
    }),
  },
  {
    check: 'L1-ENV-009',
    says: 'has an unknown verbosity',
    behaviour: withFields('progress.updated', { verbosity: 'chatty' }),
  },
  {
    check: 'L1-ENV-010',
    says: 'has a reserved field',
    behaviour: withFields('progress.updated', { aaep_mood: 'good' }),
  },
  {
    check: 'L1-ENV-011',
    says: 'declares no extension',
    behaviour: withFields('progress.updated', { extensions: { acme: {} } }),
  },
  {
    check: 'L1-EVT-001',
    says: 'has an empty progress',
    behaviour: withFields('progress.updated', { progress: {} }),
  },
  {
    check: 'L1-EVT-002',
    says: 'has questions of normal urgency',
    behaviour: withFields('awaiting.clarification', { urgency: 'normal' }),
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
    behaviour: withFields('tool.invoked', { args_summary: 'api_key=c0ffee-c0ffee' }),
    isAdvice: true,
  },
  {
    check: 'L1-SSE-001',
    says: 'frames without a name',
    behaviour: { frameName: 'message' },
    transport: 'sse',
  },
]
