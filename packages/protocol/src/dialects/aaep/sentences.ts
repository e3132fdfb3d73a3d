import { toToolName } from './names.ts'

/** What Sluice says where the contract wants a summary and the producer gave none. Never a word of a payload. */
export const sentences = {
  started: 'The agent has started.',
  completed: 'The agent has finished.',
  cancelled: 'The agent was stopped.',
  failed: 'The agent has stopped because of an error.',
  rejected: 'The agent has declined the request.',
} as const

export function toolSentence(tool: string): string {
  return `The agent uses the tool ${toToolName(tool)}.`
}

const fixed: ReadonlySet<string> = new Set(Object.values(sentences))

/** Whether a summary is one that we would write ourselves, so that nothing is lost by forgetting it. */
export function isOwnSentence(summary: string, tool: string | undefined): boolean {
  return tool === undefined ? fixed.has(summary) : summary === toolSentence(tool)
}
