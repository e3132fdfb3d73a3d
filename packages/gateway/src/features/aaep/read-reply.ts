import { isJsonObject, type JsonValue, SluiceError } from '@sluice/protocol'
import { type AaepMessage, aaepMessageChecker } from '@sluice/protocol/dialects'

/**
 * Reads a reply. It need not name its subscription: the credential decides who may answer. Throws
 * `bad_request` when the message is not a reply.
 */
export function readReply(message: JsonValue): {
  readonly token: string
  readonly decision?: string
  readonly response?: string | number | boolean
} {
  const type = isJsonObject(message) ? message['type'] : undefined
  const checker =
    type === 'confirmation.reply' || type === 'clarification.reply' ? aaepMessageChecker(type) : undefined
  if (checker === undefined || !isJsonObject(message))
    throw new SluiceError('bad_request', { message: 'The message is no reply.', details: { path: '/type' } })
  const checked =
    message['subscription_id'] === undefined ? { ...message, subscription_id: 'sub_0' } : message
  const [finding] = checker.findings(checked)
  if (finding !== undefined)
    throw new SluiceError('bad_request', { message: finding.message, details: { path: finding.path } })
  const reply = message as unknown as AaepMessage<'confirmation.reply'> | AaepMessage<'clarification.reply'> // just checked
  const token = reply.reply_token
  if (reply.type === 'clarification.reply') return { token, response: reply.response }
  // A modified action that nobody can carry out counts as a refusal (AAEP §6).
  return { token, decision: reply.modified_action === undefined ? reply.decision : 'reject' }
}
