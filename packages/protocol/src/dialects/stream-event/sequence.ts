import type { Rule } from '../../finding.ts'

/** The contract orders nothing but a tool's call and its result. */
export const streamEventRules = {
  resultWithoutCall: {
    code: 'tool_result_without_call',
    source: 'StreamEvent contract, Example 2',
    verdict: 'finding',
    sentence: 'A tool_result answers a tool that no tool_call called.',
  },
} as const satisfies Record<string, Rule>
