import { omitUndefined, type QuestionClose } from '@sluice/protocol'
import { toDefault } from './session-events.ts'
import type { AskOptions, Clarification, Confirmation } from './session-options.ts'

export function readConfirmation({ how, decision = 'reject', by }: QuestionClose): Confirmation {
  return omitUndefined({ decision, how, by })
}

/** The answer in the requested type: a default travels as text, and so may yes and no. */
export function readClarification(
  { how, response, by }: QuestionClose,
  { kinds = [], default: given }: Pick<AskOptions, 'kinds' | 'default'>,
): Clarification {
  const isDefault = how === 'timeout' && given !== undefined && response === toDefault(given)
  const isYesNo = kinds.length > 0 && kinds.every((kind) => kind === 'yes_no' || kind === 'numeric')
  const said = isYesNo && (response === 'yes' || response === 'no') ? response === 'yes' : response
  return { response: isDefault ? given : said, how, ...omitUndefined({ by }) }
}
