import type { A2aFrame } from '../../a2a/model.ts'
import { find, type Reading } from '../../a2a/reading.ts'
import { a2aRules } from '../../a2a/rules.ts'
import type { Rule } from '../../finding.ts'

export const a2aV1Rules = {
  ...a2aRules,
  severalMembers: {
    code: 'several_members',
    source: 'A2A 1.0 §3.2.3',
    verdict: 'finding',
    sentence: 'A stream response holds exactly one of task, message, statusUpdate and artifactUpdate.',
  },
  messageInTask: {
    code: 'message_in_task',
    source: 'A2A 1.0 §3.1.2',
    verdict: 'finding',
    sentence: 'A message is the only event of its stream; in a task it stands in a status.',
  },
} as const satisfies Record<string, Rule>

export function checkA2aV1(reading: Reading, frame: A2aFrame): void {
  if (frame.type === 'message' && (reading.state.begun || reading.session.started))
    find(reading, a2aV1Rules.messageInTask, '')
}
