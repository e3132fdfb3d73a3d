import type { JsonObject, QuestionOpen, Risk, RunAnswer, SluiceEvent } from '@sluice/protocol'
import type { NativeLine } from './native.ts'
import { toArray, toName, toObject, toText } from './native-json.ts'

/** What Claude Code waits for: the permission to use a tool, or a person's answers. */
export interface Ask {
  /** The id of its control request. */
  readonly id: string
  readonly input: JsonObject
  readonly questions: readonly AskedQuestion[]
}

interface AskedQuestion {
  readonly token: string
  /** The model's question to a person; absent for a question about the use of a tool. */
  readonly text?: string
  readonly answer?: string
}

export interface AskStep {
  readonly asks: readonly Ask[]
  readonly events: readonly SluiceEvent[]
  readonly write: readonly string[]
}

/** The tool with which the model asks a person. Allowing the tool passes on the answer. */
const askingTool = 'AskUserQuestion'
const maxQuestions = 8
const refusals = {
  refused: 'A person was asked and refused this.',
  timeout: 'A person was asked and did not answer in time, so this is refused.',
  nobody: 'Nobody can be asked here. Go on without an answer.',
} as const

/** Tools that change nothing and reach nothing outside. */
const readers: ReadonlySet<string> = new Set(['Read', 'Glob', 'Grep', 'LS', 'NotebookRead', 'TodoWrite'])

/** Asks a person for the permission or the answers. */
export function openAsk(asks: readonly Ask[], ask: NativeLine & { type: 'ask' }, timeoutMs: number): AskStep {
  const { id, tool, input, call } = ask
  if (asks.some((open) => open.id === id)) return { asks, events: [], write: [] }
  const meta = call === undefined ? {} : { meta: { parent: call } }
  const common = { kind: 'question-open', timeoutMs, ...meta } as const
  if (tool !== askingTool) {
    const question: QuestionOpen = {
      ...common,
      question: 'confirmation',
      token: id,
      text: `Claude Code asks to use ${nameOf(tool)}.`,
      default: 'reject',
      allowed: ['accept', 'reject'],
      risk: riskOf(tool),
    }
    return { asks: [...asks, { id, input, questions: [{ token: id }] }], events: [question], write: [] }
  }
  const asked = readQuestions(input)
  if (asked.length === 0) return { asks, events: [], write: [deny(id, refusals.nobody)] }
  const tokens = asked.map((_, index) => (asked.length === 1 ? id : `${id}.${index + 1}`))
  const questions = asked.map(({ text }, index) => ({ token: tokens[index] ?? id, text }))
  const events = asked.map(
    ({ text, choices }, index): QuestionOpen => ({
      ...common,
      question: 'clarification',
      token: tokens[index] ?? id,
      text,
      kinds: choices.length === 0 ? ['freetext'] : ['multiple_choice', 'freetext'],
      ...(choices.length === 0 ? {} : { choices }),
    }),
  )
  return { asks: [...asks, { id, input, questions }], events, write: [] }
}

/**
 * Passes the outcome of a question to Claude Code. The answers of one request go together, once all have
 * arrived; a refusal goes immediately.
 */
export function answerAsk(asks: readonly Ask[], answer: RunAnswer): AskStep {
  const ask = asks.find(({ questions }) => questions.some(({ token }) => token === answer.token))
  if (ask === undefined) return { asks, events: [], write: [] }
  const others = asks.filter((open) => open !== ask)
  if (answer.how === 'timeout') return { asks: others, ...refuse(ask, answer.token, refusals.timeout) }
  const asked = ask.questions.find(({ token }) => token === answer.token)
  if (asked?.text === undefined) {
    if (answer.decision !== 'accept') return { asks: others, ...refuse(ask, answer.token, refusals.refused) }
    return { asks: others, events: [], write: [allow(ask.id, ask.input)] }
  }
  if (answer.response === undefined) return { asks: others, ...refuse(ask, answer.token, refusals.refused) }
  const response = String(answer.response)
  const questions = ask.questions.map((each) => (each === asked ? { ...each, answer: response } : each))
  if (questions.some((each) => each.answer === undefined))
    return { asks: asks.map((open) => (open === ask ? { ...ask, questions } : open)), events: [], write: [] }
  const answers = Object.fromEntries(questions.map((each) => [each.text ?? '', each.answer ?? '']))
  return { asks: others, events: [], write: [allow(ask.id, { ...ask.input, answers })] }
}

/** Closes the questions of a request that Claude Code has withdrawn. */
export function withdrawAsk(asks: readonly Ask[], id: string): AskStep {
  const ask = asks.find((open) => open.id === id)
  if (ask === undefined) return { asks, events: [], write: [] }
  return { asks: asks.filter((open) => open !== ask), events: closeRest(ask, undefined), write: [] }
}

/** Answers a request that Sluice does not support. Without an answer, Claude Code would wait. */
export function refuseRequest(id: string): string {
  const response = { subtype: 'error', request_id: id, error: 'This is not offered here.' }
  return JSON.stringify({ type: 'control_response', response })
}

/** A tool's name that is safe in a sentence. */
export function nameOf(tool: string): string {
  return /^[\w.:/-]{1,128}$/.test(tool) ? tool : 'a tool'
}

function riskOf(tool: string): Risk {
  return readers.has(tool) ? 'low' : 'medium'
}

function refuse(ask: Ask, token: string, message: string): Omit<AskStep, 'asks'> {
  return { events: closeRest(ask, token), write: [deny(ask.id, message)] }
}

/**
 * Closes the questions of a request that need no answer any longer, except `but`, which its answer closes.
 */
function closeRest({ questions }: Ask, but: string | undefined): readonly SluiceEvent[] {
  return questions
    .filter(({ token, answer }) => token !== but && answer === undefined)
    .map(({ token }) => ({ kind: 'question-close', token, how: 'cancelled' }))
}

function allow(id: string, updatedInput: JsonObject): string {
  return respond(id, { behavior: 'allow', updatedInput })
}

function deny(id: string, message: string): string {
  return respond(id, { behavior: 'deny', message })
}

function respond(id: string, response: JsonObject): string {
  return JSON.stringify({
    type: 'control_response',
    response: { subtype: 'success', request_id: id, response },
  })
}

interface NativeQuestion {
  readonly text: string
  readonly choices: NonNullable<QuestionOpen['choices']>
}

/** The questions in the input of the asking tool; empty if the input does not have its shape. */
function readQuestions(input: JsonObject): readonly NativeQuestion[] {
  return toArray(input['questions'])
    .slice(0, maxQuestions)
    .flatMap((question) => {
      const { question: text, options } = toObject(question)
      const name = toName(text)
      return name === undefined ? [] : [{ text: name, choices: toArray(options).flatMap(readChoice) }]
    })
}

function readChoice(option: JsonObject[string]): NativeQuestion['choices'] {
  const { label, description } = toObject(option)
  const value = toName(label)
  if (value === undefined) return []
  const more = toText(description)
  return [{ value, label: more === '' ? value : `${value}: ${more}` }]
}
