import { fromCarried } from '../../carry.ts'
import type { SessionEnd, SluiceEvent } from '../../events.ts'
import { breach, type Finding } from '../../finding.ts'
import { finishText } from '../../finish-text.ts'
import { isJsonObject, type JsonObject, type JsonValue, unknownFields } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import type { SessionState } from '../../session-state.ts'
import { maxTextBytes, truncateUtf8 } from './bounds.ts'
import { isCancelled, toError } from './completion-error.ts'
import { answerOutput } from './decode-text.ts'
import { toExt, withoutSluice } from './kept.ts'
import { agentEventRules } from './sequence.ts'
import { sluiceOf } from './stream.ts'
import type { CompletionError, CompletionOk } from './wire.ts'

/** Ends the session with a completion. Its final text is compared with the answer, never appended. */
export function decodeCompletion(
  value: JsonObject,
  completion: JsonObject,
  session: SessionState,
): { readonly events: readonly SluiceEvent[]; readonly findings: readonly Finding[] } {
  const side = isJsonObject(completion['error']) ? 'error' : 'ok'
  const member = completion[side] as JsonObject | undefined // checked by its schema
  const said = (member ?? {}) as unknown as CompletionError & CompletionOk // one of them
  const own = side === 'error' ? toFailure(said) : toEnd(said)
  const carried = fromCarried(sluiceOf(said.data as JsonObject | undefined)) // any JSON
  const isEnd = carried?.kind === 'session-end'
  const agrees = isEnd && (side === 'error' ? isFailure(said, carried) : isCompletion(own, carried))
  const isIgnored = isEnd && !agrees
  const told = isIgnored ? { ...completion, [side]: withoutSluice(member ?? {}) } : completion
  const fields = unknownFields(value, knownFields)
  const kept = omitUndefined({ completion: withoutFinalText(told), fields })
  const end = { ...(agrees ? carried : own), meta: { ext: toExt(kept) } }
  const path = `/completion/${side}/data/sluice`
  const findings = isIgnored ? [breach(agentEventRules.carriedContradicts, path)] : []
  if (side === 'error' || said.final_text === undefined) return { events: [end], findings }
  const answer = finishAnswer(said.final_text.toWellFormed(), finalOutputOf(said), session)
  return { events: [...answer, end], findings }
}

/** Only a completed run has a completion without an error, unless the exit status says otherwise. */
function isCompletion(own: SessionEnd, carried: SessionEnd): boolean {
  return own.outcome === 'completed' && carried.outcome === 'completed'
}

/** Whether the error of a completion is the one that stands for this end. */
function isFailure({ code, message }: CompletionError, end: SessionEnd): boolean {
  if (end.outcome === 'completed') return false
  const said = toError(end)
  return said.code === code && said.message === message
}

const knownFields: ReadonlySet<string> = new Set(['completion'])

function withoutFinalText(completion: JsonObject): JsonObject {
  const { ok } = completion
  if (!isJsonObject(ok) || isJsonObject(completion['error'])) return completion
  const { final_text: _finalText, ...rest } = ok
  return { ...completion, ok: rest }
}

function toEnd({ status }: CompletionOk): SessionEnd {
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

function toFailure({ code, message }: CompletionError): SessionEnd {
  if (isCancelled(code, message)) return { kind: 'session-end', outcome: 'cancelled' }
  return {
    kind: 'session-end',
    outcome: 'failed',
    error: omitUndefined({ message, code }),
  }
}

/** The output that the final text repeats. */
function finalOutputOf({ data }: CompletionOk): string {
  const named = isJsonObject(data as JsonValue) ? (data as JsonObject)['final_output'] : undefined // any JSON
  return typeof named === 'string' ? named : answerOutput
}

function finishAnswer(text: string, output: string, session: SessionState): readonly SluiceEvent[] {
  // A text over the bound arrives cut.
  const isSame = (streamed: string): boolean =>
    text === streamed || text === truncateUtf8(streamed, maxTextBytes)
  return finishText(session, { output, text, isSame })
}
