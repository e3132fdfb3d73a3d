import {
  type Handoff,
  type JsonValue,
  type Meta,
  omitUndefined,
  type Progress,
  type QuestionOpen,
  type SessionError,
  type StateChange,
  type Summaries,
  type ToolCall,
} from '@sluice/protocol'
import { badValue } from './misuse.ts'
import type {
  AskOptions,
  ConfirmOptions,
  FailReason,
  HandoffOptions,
  ProgressOptions,
  ToolOptions,
} from './session-options.ts'

const longestTimeoutMs = 86_400_000 // AAEP §6
const longestState = 64 // AAEP §4.2.1

/** The meta of an event: its summaries and its language, if there are any. */
export function metaOf(
  language: string | undefined,
  summary: string | Summaries | undefined,
): { readonly meta?: Meta } {
  if (language === undefined && summary === undefined) return {}
  const summaries = typeof summary === 'string' ? { normal: summary } : summary
  return {
    meta: omitUndefined({
      summaries,
      localization: language === undefined ? undefined : { primary_language: language },
    }),
  }
}

export function toStateChange(to: string): StateChange {
  if (to === '' || to.length > longestState)
    throw badValue(`The name of a state has 1 to ${longestState} characters.`)
  return { kind: 'state-change', to }
}

export function toProgress({ percent, step, total, text, etaMs }: ProgressOptions): Progress {
  if (percent === undefined && step === undefined && total === undefined && (text ?? '') === '')
    throw badValue('Progress says one of percent, step, total and text.')
  if (percent !== undefined && !(percent >= 0 && percent <= 100)) throw badValue('percent is from 0 to 100.')
  for (const count of [step, total])
    if (count !== undefined && !(Number.isSafeInteger(count) && count >= 1))
      throw badValue('step and total are whole numbers from 1 on.')
  if (step !== undefined && total !== undefined && step > total) throw badValue('step is at most total.')
  if (etaMs !== undefined && !(etaMs >= 0 && Number.isFinite(etaMs))) throw badValue('etaMs is not negative.')
  return {
    kind: 'progress',
    ...omitUndefined({ percent, step, total, text: text || undefined, etaMs }),
  }
}

export function toToolCall(tool: string, call: string, options: ToolOptions): ToolCall {
  assertText('The name of a tool', tool)
  assertText('The id of a call', call)
  const { args, argsSummary, risk, irreversible } = options
  return omitUndefined({
    kind: 'tool-call',
    call,
    tool,
    args: args === undefined ? undefined : assertJson('The arguments', args),
    argsSummary,
    risk,
    irreversible,
  })
}

export function toConfirmation(token: string, options: ConfirmOptions): QuestionOpen {
  const { action, consequence, risk, irreversible, timeoutMs, allowed } = options
  assertText('action', action)
  assertText('consequence', consequence)
  if (allowed !== undefined && (allowed.length === 0 || allowed.includes('')))
    throw badValue('allowed names at least one reply, and none that is empty.')
  return {
    kind: 'question-open',
    question: 'confirmation',
    token,
    text: action,
    consequence,
    default: options.default ?? 'reject',
    ...timeoutOf(timeoutMs),
    ...omitUndefined({ allowed, risk, irreversible }),
  }
}

export function toClarification(token: string, options: AskOptions): QuestionOpen {
  const { question, choices, timeoutMs, default: given } = options
  assertText('question', question)
  const kinds = options.kinds ?? (choices === undefined ? undefined : (['multiple_choice'] as const))
  if (kinds?.length === 0) throw badValue('kinds names at least one kind.')
  if (kinds?.includes('multiple_choice') === true) assertChoices(choices)
  const byDefault = given === undefined ? undefined : toDefault(given)
  const isFree = kinds === undefined || kinds.some((kind) => kind !== 'multiple_choice')
  if (byDefault !== undefined && !isFree && choices?.some(({ value }) => value === byDefault) !== true)
    throw badValue('The default is the value of one of the choices.')
  return {
    kind: 'question-open',
    question: 'clarification',
    token,
    text: question,
    ...omitUndefined({ kinds, choices }),
    ...timeoutOf(timeoutMs),
    ...omitUndefined({ default: byDefault }),
  }
}

/** A default as AAEP writes it: a boolean as `yes` or `no`. */
export function toDefault(value: string | number | boolean): string {
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)
}

export function toHandoff({ reason, target, uri, context }: HandoffOptions): Handoff {
  assertText('reason', reason)
  return omitUndefined({
    kind: 'handoff',
    reason,
    target,
    uri,
    context: context === undefined ? undefined : assertJson('The context', context),
  })
}

export function toSessionError(reason: FailReason): SessionError {
  if (typeof reason === 'string') return { category: 'unknown', message: reason }
  if (reason instanceof Error) return { category: 'unknown', message: reason.message }
  return reason
}

/** Returns the value if JSON can represent it; throws `bad_request` otherwise. */
export function assertJson<T extends JsonValue>(what: string, value: T): T {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch {
    text = undefined // a cycle, or a bigint
  }
  if (text === undefined) throw badValue(`${what} cannot be written as JSON.`)
  return value
}

function assertText(what: string, text: string): void {
  if (text === '') throw badValue(`${what} must not be empty.`)
}

function assertChoices(choices: AskOptions['choices'] = []): void {
  const values = new Set(choices.map(({ value }) => value))
  if (choices.length < 2 || choices.length > 32 || values.size < choices.length || values.has(''))
    throw badValue('multiple_choice needs 2 to 32 choices with values that are not empty and all different.')
}

function timeoutOf(timeoutMs: number | undefined): { readonly timeoutMs?: number } {
  if (timeoutMs === undefined) return {}
  if (!(timeoutMs >= 1 && timeoutMs <= longestTimeoutMs)) throw badValue('timeoutMs is from 1 to 86400000.')
  return { timeoutMs }
}
