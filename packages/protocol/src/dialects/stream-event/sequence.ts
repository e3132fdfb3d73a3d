import type { Rule } from '../../finding.ts'

/** The dialect orders only a tool's call and its result; the rest is ours. */
export const streamEventRules = {
  resultWithoutCall: {
    code: 'tool_result_without_call',
    source: 'StreamEvent contract, Example 2',
    verdict: 'finding',
    sentence: 'A tool_result answers a tool that no tool_call called.',
  },
  carriedContradicts: {
    code: 'carried_contradicts',
    source: 'Sluice decision 0005',
    verdict: 'finding',
    sentence: 'Carried data agrees with the fields of its frame; otherwise it is ignored.',
  },
} as const satisfies Record<string, Rule>
