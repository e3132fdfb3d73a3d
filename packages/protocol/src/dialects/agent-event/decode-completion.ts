import { fromCarried } from '../../carry.ts'
import type { SessionEnd, SluiceEvent } from '../../events.ts'
import { finishText } from '../../finish-text.ts'
import { isJsonObject, type JsonObject, type JsonValue, unknownFields } from '../../json.ts'
import type { SessionState } from '../../session-state.ts'
import { maxTextBytes, truncateUtf8 } from './bounds.ts'
import { answerOutput } from './decode-text.ts'
import { toExt } from './kept.ts'
import { sluiceOf } from './stream.ts'
import type { CompletionError, CompletionOk } from './wire.ts'

/** A completion ends the session; its final text is compared with the answer, never appended. */
export function decodeCompletion(
  value: JsonObject,
  completion: JsonObject,
  session: SessionState,
): readonly SluiceEvent[] {
  const fields = unknownFields(value, knownFields)
  const kept = { completion: withoutFinalText(completion), ...(fields === undefined ? {} : { fields }) }
  const meta = { ext: toExt(kept) }
  if (isJsonObject(completion['error']))
    return [{ ...toFailure(completion['error'] as CompletionError), meta }] // checked by its schema
  const ok = (completion['ok'] ?? {}) as CompletionOk // checked by its schema
  const end = { ...toEnd(ok), meta }
  if (ok.final_text === undefined) return [end]
  return [...finishAnswer(ok.final_text.toWellFormed(), finalOutputOf(ok), session), end]
}

const knownFields: ReadonlySet<string> = new Set(['completion'])

function withoutFinalText(completion: JsonObject): JsonObject {
  const { ok } = completion
  if (!isJsonObject(ok) || isJsonObject(completion['error'])) return completion
  const { final_text: _finalText, ...rest } = ok
  return { ...completion, ok: rest }
}

function toEnd({ status, data }: CompletionOk): SessionEnd {
  const carried = fromCarried(sluiceOf(data as JsonObject | undefined)) // any JSON
  if (carried?.kind === 'session-end') return carried
  if (status === undefined || status.code === 0) return { kind: 'session-end', outcome: 'completed' }
  const how =
    typeof status.signal === 'string'
      ? `was ended by the signal ${status.signal}`
      : `exited with code ${status.code}`
  return {
    kind: 'session-end',
    outcome: 'failed',
    error: { code: 'exit_status', message: `The agent ${how}.` },
  }
}

function toFailure({ code, message, data }: CompletionError): SessionEnd {
  const carried = fromCarried(sluiceOf(data as JsonObject | undefined)) // any JSON
  if (carried?.kind === 'session-end') return carried
  if (isCancelled(code, message)) return { kind: 'session-end', outcome: 'cancelled' }
  return {
    kind: 'session-end',
    outcome: 'failed',
    error: { message, ...(code === undefined ? {} : { code }) },
  }
}

/** A cancelled run completes with `Backend("cancelled")`. */
export function isCancelled(code: string | undefined, message: string): boolean {
  return (
    (code === undefined || code === 'Backend') &&
    (message === 'cancelled' || message === 'backend error: cancelled')
  )
}

/** Which of several answers the final text repeats. */
function finalOutputOf({ data }: CompletionOk): string {
  const named = isJsonObject(data as JsonValue) ? (data as JsonObject)['final_output'] : undefined // any JSON
  return typeof named === 'string' ? named : answerOutput
}

function finishAnswer(text: string, output: string, session: SessionState): readonly SluiceEvent[] {
  // A text over the bound comes cut.
  const isSame = (streamed: string): boolean =>
    text === streamed || text === truncateUtf8(streamed, maxTextBytes)
  return finishText(session, output, text, isSame)
}
