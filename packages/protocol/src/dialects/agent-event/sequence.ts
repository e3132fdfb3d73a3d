import type { Rule } from '../../finding.ts'

const envelope = 'Event envelope, Constraints'
const contract = 'Universal Agent API contract, payload rules'

/** What the envelope requires beyond its schema: bounds in bytes, and which kind has which field. */
export const agentEventRules = {
  channelOverBound: {
    code: 'channel_over_bound',
    source: envelope,
    verdict: 'finding',
    sentence: 'A channel has at most 128 bytes.',
  },
  textOverBound: {
    code: 'text_over_bound',
    source: envelope,
    verdict: 'finding',
    sentence: 'A text has at most 65536 bytes; a longer one is split over several events.',
  },
  messageOverBound: {
    code: 'message_over_bound',
    source: envelope,
    verdict: 'finding',
    sentence: 'A message has at most 4096 bytes.',
  },
  dataOverBound: {
    code: 'data_over_bound',
    source: envelope,
    verdict: 'finding',
    sentence: 'Data has at most 65536 bytes of compact JSON.',
  },
  textNotAllowed: {
    code: 'text_not_allowed',
    source: contract,
    verdict: 'finding',
    sentence: 'Only TextOutput has a text.',
  },
  messageNotAllowed: {
    code: 'message_not_allowed',
    source: contract,
    verdict: 'finding',
    sentence: 'TextOutput has no message.',
  },
  brokenFacet: {
    code: 'broken_facet',
    source: 'Universal Agent API, facets',
    verdict: 'finding',
    sentence: 'Data names the schema of a facet but does not have its form.',
  },
  resultWithoutCall: {
    code: 'tool_result_without_call',
    source: 'Universal Agent API, tools facet',
    verdict: 'finding',
    sentence: 'A ToolResult ends a tool that no ToolCall began.',
  },
  carriedContradicts: {
    code: 'carried_contradicts',
    source: 'Sluice decision 0005',
    verdict: 'finding',
    sentence: 'Carried data agrees with the fields of its frame; otherwise it is ignored.',
  },
} as const satisfies Record<string, Rule>
