import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'

/**
 * True if a frame in members has a mark that only 0.3 has: `content`, `final`, a `file`, or the old spelling
 * of canceled.
 */
export function isOldForm(value: JsonObject): boolean {
  const message = value['message']
  if (isJsonObject(message) && message['content'] !== undefined) return true
  const status = value['statusUpdate']
  if (isJsonObject(status) && (status['final'] !== undefined || isOldStatus(status['status']))) return true
  const artifact = isJsonObject(value['artifactUpdate']) ? value['artifactUpdate']['artifact'] : undefined
  if (isJsonObject(artifact) && Array.isArray(artifact['parts']))
    return artifact['parts'].some((part) => isJsonObject(part) && part['file'] !== undefined)
  const task = value['task']
  if (!isJsonObject(task)) return false
  const { history } = task
  return (
    isOldStatus(task['status']) ||
    (Array.isArray(history) && history.some((item) => isJsonObject(item) && item['content'] !== undefined))
  )
}

function isOldStatus(status: JsonValue | undefined): boolean {
  if (!isJsonObject(status)) return false
  const { state, message } = status
  return state === 'TASK_STATE_CANCELLED' || (isJsonObject(message) && message['content'] !== undefined)
}
