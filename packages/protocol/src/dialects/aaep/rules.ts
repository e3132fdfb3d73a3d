import type { Rule } from '../../finding.ts'

/** What AAEP requires beyond its schemas. */
export const aaepRules = {
  unsafeDefault: {
    code: 'unsafe_default',
    source: 'AAEP §6, §4.4.1',
    verdict: 'refused',
    sentence: 'What cannot be undone is rejected by default, unless its risk is low.',
  },
  notStarted: {
    code: 'not_started',
    source: 'AAEP §4.1.1, §4.5',
    verdict: 'finding',
    sentence: 'The first event of a session is agent.session.started.',
  },
  startedTwice: {
    code: 'started_twice',
    source: 'AAEP §4.1.1',
    verdict: 'finding',
    sentence: 'A session starts once.',
  },
  urgencyNotCritical: {
    code: 'urgency_not_critical',
    source: 'AAEP §3, §4',
    verdict: 'finding',
    sentence: 'The urgency of this event is critical.',
  },
  timestampPrecision: {
    code: 'timestamp_precision',
    source: 'AAEP §3',
    verdict: 'finding',
    sentence: 'A timestamp has no fraction of a second, or one of three or six digits.',
  },
  timestampDecreases: {
    code: 'timestamp_decreases',
    source: 'AAEP §3',
    verdict: 'finding',
    sentence: 'An event is not older than the event before it.',
  },
  sequenceGap: {
    code: 'sequence_gap',
    source: 'AAEP §3',
    verdict: 'finding',
    sentence: 'Sequence numbers count every event of a session from 0.',
  },
  sequenceMixed: {
    code: 'sequence_mixed',
    source: 'AAEP §3',
    verdict: 'finding',
    sentence: 'Either all events of a session are numbered or none.',
  },
  forbiddenField: {
    code: 'forbidden_field',
    source: 'AAEP §3',
    verdict: 'finding',
    sentence:
      'An event has none of @id, @graph, @base and @vocab, and no aaep_ field that the dialect does not define.',
  },
  undeclaredExtension: {
    code: 'undeclared_extension',
    source: 'AAEP §3, §7',
    verdict: 'finding',
    sentence: 'The prefix of an extension is declared in @context.',
  },
  carriedContradicts: {
    code: 'carried_contradicts',
    source: 'Sluice decision 0005',
    verdict: 'finding',
    sentence: 'Carried data agrees with the fields of its frame; otherwise it is ignored.',
  },
  stateChain: {
    code: 'state_chain',
    source: 'AAEP §4.2.1',
    verdict: 'finding',
    sentence:
      'A change of state begins where the last one ended, or at the state that the events since imply.',
  },
  callRepeated: {
    code: 'call_repeated',
    source: 'AAEP §4.3.1',
    verdict: 'finding',
    sentence: 'The id of a tool call is unique in its session.',
  },
  resultWithoutCall: {
    code: 'result_without_call',
    source: 'AAEP §4.3.2',
    verdict: 'finding',
    sentence: 'A tool completes once, after it was invoked.',
  },
  otherTool: {
    code: 'other_tool',
    source: 'AAEP §4.3.2',
    verdict: 'finding',
    sentence: 'A tool completes under the name under which it was invoked.',
  },
  callLeftOpen: {
    code: 'call_left_open',
    source: 'AAEP §4.5, Appendix A',
    verdict: 'finding',
    sentence: 'Every tool that was invoked completes before the session ends.',
  },
  unconfirmed: {
    code: 'unconfirmed',
    source: 'AAEP §4.3.1, §6',
    verdict: 'finding',
    sentence: 'What cannot be undone is done only after a confirmation was accepted.',
  },
  chunkAfterComplete: {
    code: 'chunk_after_complete',
    source: 'AAEP §4.3.3',
    verdict: 'finding',
    sentence: 'Nothing follows the last chunk of an output.',
  },
  wrongPosition: {
    code: 'wrong_position',
    source: 'AAEP §4.3.3',
    verdict: 'finding',
    sentence: 'The position counts the code points of the output before this chunk.',
  },
  outputLeftOpen: {
    code: 'output_left_open',
    source: 'AAEP §4.3.3, §4.5',
    verdict: 'finding',
    sentence: 'Every output is completed before the session ends.',
  },
  tokenReused: {
    code: 'token_reused',
    source: 'AAEP §6',
    verdict: 'finding',
    sentence: 'A reply token is used for one question only.',
  },
  choicesMissing: {
    code: 'choices_missing',
    source: 'AAEP §4.4.2',
    verdict: 'finding',
    sentence: 'A question with multiple choice names its choices.',
  },
  unknownToken: {
    code: 'unknown_token',
    source: 'AAEP §6',
    verdict: 'finding',
    sentence: 'A reply answers a question of its kind that is open.',
  },
  replyNotAllowed: {
    code: 'reply_not_allowed',
    source: 'AAEP §6',
    verdict: 'finding',
    sentence: 'A reply is one of those that its question accepts.',
  },
} as const satisfies Record<string, Rule>
