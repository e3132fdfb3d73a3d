import type { Frame } from '../../dialect.ts'
import { breach, type Finding } from '../../finding.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { type Checker, createChecker } from '../../schemas/check.ts'
import { isWellFormedJson } from '../../well-formed-json.ts'
import {
  exceedsUtf8,
  maxChannelBytes,
  maxDataBytes,
  maxMessageBytes,
  maxTextBytes,
  serializedJsonBytes,
} from './bounds.ts'
import { agentEventRules } from './sequence.ts'
import {
  completionErrorSchema,
  completionOkSchema,
  errorSchema,
  statusSchema,
  textOutputSchema,
  toolCallSchema,
  toolResultSchema,
  unknownSchema,
  type WireKind,
  wireKinds,
} from './wire.ts'

/** An event that fits the schema of its kind, without null members. */
export interface WireEvent extends JsonObject {
  readonly agent_kind: string
  readonly kind: WireKind
  readonly channel?: string
  readonly text?: string
  readonly message?: string
  readonly data?: JsonValue
}

export type Reading =
  /** `type` is the kind as the sender spelled it, if it is not one of the six. */
  | {
      readonly form: 'event'
      readonly event: WireEvent
      readonly type?: string
      readonly findings: readonly Finding[]
      readonly exact: boolean
    }
  | {
      readonly form: 'completion'
      readonly value: JsonObject
      readonly completion: JsonObject
      readonly findings: readonly Finding[]
      readonly exact: boolean
    }
  | { readonly form: 'broken'; readonly type: string; readonly findings: readonly Finding[] }

const rule = 'Event envelope, Fields'
const checkers: ReadonlyMap<unknown, Checker> = new Map<WireKind, Checker>([
  ['TextOutput', createChecker(textOutputSchema, rule)],
  ['ToolCall', createChecker(toolCallSchema, rule)],
  ['ToolResult', createChecker(toolResultSchema, rule)],
  ['Status', createChecker(statusSchema, rule)],
  ['Error', createChecker(errorSchema, rule)],
  ['Unknown', createChecker(unknownSchema, rule)],
])
const anyChecker = checkers.get('Unknown') as Checker // set above
const okChecker = createChecker(completionOkSchema, 'Run protocol, completion')
const errorChecker = createChecker(completionErrorSchema, 'Run protocol, completion')

/** Checks a frame and converts it to the dialect's form; nulls and other casings are not findings. */
export function readFrame(frame: Frame): Reading {
  const { value } = frame
  if (!isJsonObject(value))
    return { form: 'broken', type: 'AgentEvent', findings: anyChecker.findings(value) }
  if (isJsonObject(value['completion'])) return readCompletion(frame, value, value['completion'])
  const checker = checkers.get(value['kind'])
  if (checker?.isExact(value) === true) {
    const event = value as WireEvent // just checked
    const isPlain = value['data'] !== null
    const own = isPlain ? event : withoutNulls(event)
    return {
      form: 'event',
      event: own,
      findings: checkBounds(own, frame.text),
      exact: isPlain && isWellFormed(frame),
    }
  }
  const { kind, type } = kindOf(value['kind'])
  const renamed = { ...withoutNulls(value), ...omitUndefined({ kind }) }
  const event = 'agent_kind' in renamed ? renamed : withAgentKind(renamed)
  const findings = (checkers.get(kind) ?? anyChecker).findings(event)
  if (findings.length > 0) return { form: 'broken', type: type ?? kind ?? 'AgentEvent', findings }
  const read = event as WireEvent // the open check lets only unknown values pass, and these schemas have none
  // The dialect says nothing about the fields of a kind that it does not have.
  if (type !== undefined) return { form: 'event', event: read, type, findings: [], exact: false }
  return { form: 'event', event: read, findings: checkBounds(read, frame.text), exact: false }
}

/** Strictly checks a frame that Sluice sends. */
export function validateFrame(value: JsonValue): readonly Finding[] {
  if (isJsonObject(value) && isJsonObject(value['completion'])) {
    const { completion } = value
    const checker = 'error' in completion ? errorChecker : okChecker
    const findings = [...checker.exactFindings(value), ...checkCompletionBounds(completion, undefined)]
    return hasBoundedText(completion)
      ? findings
      : [...findings, breach(agentEventRules.textOverBound, '/completion/ok/final_text')]
  }
  const checker = (isJsonObject(value) ? checkers.get(value['kind']) : undefined) ?? anyChecker
  const findings = checker.exactFindings(value)
  return findings.length > 0 ? findings : checkBounds(value as WireEvent, undefined) // just checked
}

function readCompletion(frame: Frame, value: JsonObject, completion: JsonObject): Reading {
  const checker = 'error' in completion && completion['error'] !== null ? errorChecker : okChecker
  if (checker.isExact(value)) {
    const { ok } = completion
    const hasData = !isJsonObject(ok) || ok['data'] !== null
    const exact = hasData && hasBoundedText(completion) && isWellFormed(frame)
    return {
      form: 'completion',
      value,
      completion,
      findings: checkCompletionBounds(completion, frame.text),
      exact,
    }
  }
  const cleaned = Object.fromEntries(
    Object.entries(withoutNulls(completion)).map(([key, member]) => [
      key,
      isJsonObject(member) ? withoutNulls(member) : member,
    ]),
  )
  const findings = checker.findings({ ...value, completion: cleaned })
  if (findings.length > 0) return { form: 'broken', type: 'completion', findings }
  return {
    form: 'completion',
    value,
    completion: cleaned,
    findings: checkCompletionBounds(cleaned, frame.text),
    exact: false,
  }
}

/**
 * The reference implementation cuts a final text over its bound; the specification does not. Sluice cuts it,
 * and accepts both.
 */
function hasBoundedText({ ok }: JsonObject): boolean {
  const text = isJsonObject(ok) ? ok['final_text'] : undefined
  return typeof text !== 'string' || !exceedsUtf8(text, maxTextBytes)
}

/** `text` is the frame's JSON, if there is any: most frames are too short to exceed a bound. */
function checkBounds(event: WireEvent, text: string | undefined): readonly Finding[] {
  const isText = event.kind === 'TextOutput'
  const hasText = event.text !== undefined
  const hasMessage = event.message !== undefined
  const findings: Finding[] = []
  if (event.channel !== undefined && exceedsUtf8(event.channel, maxChannelBytes))
    findings.push(breach(agentEventRules.channelOverBound, '/channel'))
  if (!isText && hasText) findings.push(breach(agentEventRules.textNotAllowed, '/text'))
  else if (typeof event.text === 'string' && exceedsUtf8(event.text, maxTextBytes))
    findings.push(breach(agentEventRules.textOverBound, '/text'))
  if (isText && hasMessage) findings.push(breach(agentEventRules.messageNotAllowed, '/message'))
  else if (typeof event.message === 'string' && exceedsUtf8(event.message, maxMessageBytes))
    findings.push(breach(agentEventRules.messageOverBound, '/message'))
  if (isOverData(event.data, text)) findings.push(breach(agentEventRules.dataOverBound, '/data'))
  return findings
}

function checkCompletionBounds(completion: JsonObject, text: string | undefined): readonly Finding[] {
  const findings: Finding[] = []
  for (const side of ['ok', 'error']) {
    const member = completion[side]
    if (!isJsonObject(member)) continue
    if (isOverData(member['data'], text))
      findings.push(breach(agentEventRules.dataOverBound, `/completion/${side}/data`))
    if (typeof member['message'] === 'string' && exceedsUtf8(member['message'], maxMessageBytes))
      findings.push(breach(agentEventRules.messageOverBound, `/completion/${side}/message`))
  }
  return findings
}

function isOverData(data: JsonValue | undefined, text: string | undefined): boolean {
  if (data === undefined) return false
  // Compact JSON has at most 3 bytes per character of the frame, or 21 for the 4 of a number such as 1e20.
  if (text !== undefined && text.length * 6 <= maxDataBytes) return false
  return serializedJsonBytes(data) > maxDataBytes
}

/** A lone surrogate can only come from an escape. */
function isWellFormed(frame: Frame): boolean {
  return !frame.text.includes('\\u') || isWellFormedJson(frame.value)
}

function withoutNulls<T extends JsonObject>(value: T): T {
  const entries = Object.entries(value).filter(([key, member]) => member !== null || !nullable.has(key))
  return Object.fromEntries(entries) as T // these members are optional, or missed by the schema
}

function withAgentKind({ agentKind, ...rest }: JsonObject): JsonObject {
  return agentKind === undefined ? rest : { agent_kind: agentKind, ...rest }
}

const nullable: ReadonlySet<string> = new Set([
  ...['channel', 'text', 'message', 'data'],
  ...['ok', 'error', 'status', 'final_text', 'code'],
])

/** One of the six in any casing; otherwise Unknown, with the type that the sender wrote. */
function kindOf(kind: JsonValue | undefined): { readonly kind?: WireKind; readonly type?: string } {
  if (typeof kind !== 'string') return {}
  const spelled = kind.replaceAll('_', '').toLowerCase()
  const known = wireKinds.find((candidate) => candidate.toLowerCase() === spelled)
  return known === undefined ? { kind: 'Unknown', type: kind } : { kind: known }
}
