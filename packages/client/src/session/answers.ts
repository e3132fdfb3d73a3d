import type { QuestionClose } from '@sluice/protocol'
import { toDefault } from './session-events.ts'
import type { AskOptions, Clarification, Confirmation } from './session-options.ts'

export function readConfirmation({ how, decision = 'reject', by }: QuestionClose): Confirmation {
  return { decision, how, ...(by === undefined ? {} : { by }) }
}

/** The answer in the type that was asked for: a default travels as text, and yes and no may. */
export function readClarification(
  { how, response, by }: QuestionClose,
  { kinds = [], default: given }: Pick<AskOptions, 'kinds' | 'default'>,
): Clarification {
  const isDefault = how === 'timeout' && given !== undefined && response === toDefault(given)
  const isYesNo = kinds.length > 0 && kinds.every((kind) => kind === 'yes_no' || kind === 'numeric')
  const said = isYesNo && (response === 'yes' || response === 'no') ? response === 'yes' : response
  return { response: isDefault ? given : said, how, ...(by === undefined ? {} : { by }) }
}
