import type { Rule } from '../../../packages/protocol/src/finding.ts'

export const toyRules = {
  carriedContradicts: {
    code: 'carried_contradicts',
    source: 'Sluice decision 0005',
    verdict: 'finding',
    sentence: 'Carried data agrees with the fields of its frame; otherwise it is ignored.',
  },
} as const satisfies Record<string, Rule>
