import { createInterface } from 'node:readline'
import type { Answer } from '@sluice/client'
import type { QuestionOpen, SluiceEvent } from '@sluice/protocol'
import type { Io } from '../io.ts'
import { countLeftOut, toSafeLine, toSafeText } from '../safe-text.ts'
import { wrapLines } from '../wrap-text.ts'
import { answerHint, answerWays, toAnswer } from './answer-ways.ts'

/** Asks the person at the terminal, one question at a time. */
export interface Asking {
  /** Takes the next events and returns what to show in addition to the transcript. */
  step(events: readonly SluiceEvent[]): string
  release(): void
}

export interface AskingParts {
  readonly io: Io & { readonly stdin: { readonly isTTY?: boolean } }
  /** A command that prints the whole session. */
  readonly wholeCommand: string
  /** No transcript shows the questions. */
  readonly isAlone: boolean
  send(answer: Answer): void
}

/** The shown part of a tool's arguments. */
interface ShownArgs {
  readonly text: string
  readonly leftOut: number
}

const maxShownCharacters = 4000
const maxQuestionCharacters = 1000

/** Reads lines if the input is a terminal; otherwise others must answer the questions. */
export function createAsking({ io, wholeCommand, isAlone, send }: AskingParts): Asking {
  const isTerminal = io.stdin.isTTY === true
  const quote = (text: string): string => wrapLines(text, isAlone ? io.stderr : io.stdout)
  const open: QuestionOpen[] = []
  const calls = new Map<string, ShownArgs>()
  const lines = isTerminal ? createInterface({ input: io.stdin, terminal: false }) : undefined

  lines?.on('line', (line) => {
    const [question] = open
    if (question === undefined) return
    const answer = toAnswer(question, line)
    if (answer === undefined) io.stderr.write(`${answerHint(question)}\n`)
    else send(answer)
  })

  const show = (question: QuestionOpen): string => {
    const { choices } = answerWays(question)
    const args = calls.get(question.meta?.parent ?? '')
    const texts = [question.text, question.consequence ?? ''].map((text) =>
      countLeftOut(text, maxQuestionCharacters),
    )
    const labels = choices.map(({ label }) => countLeftOut(label))
    const leftOut = [args?.leftOut ?? 0, ...texts, ...labels].reduce((sum, count) => sum + count, 0)
    return [
      quote(args?.text ?? ''),
      ...(leftOut === 0
        ? []
        : [`! ${leftOut} characters of this question are not shown. To see all: ${wholeCommand}\n`]),
      ...choices.map(({ label }, index) => quote(`${index + 1}. ${toSafeLine(label)}\n`)),
      isTerminal ? `${answerHint(question)}\n` : '',
    ].join('')
  }

  const ask = (question: QuestionOpen): string => {
    const asked = [question.text, question.consequence ?? ''].filter((part) => part !== '')
    const line = `? ${asked.map((part) => toSafeLine(part, maxQuestionCharacters)).join(' ')}\n`
    return quote(line) + show(question)
  }

  const stepEvent = (event: SluiceEvent): string => {
    if (event.kind === 'tool-call' && event.args !== undefined) calls.set(event.call, cutArgs(event.args))
    else if (event.kind === 'tool-result') calls.delete(event.call)
    else if (event.kind === 'question-open') {
      open.push(event)
      if (open.length === 1) return isAlone ? ask(event) : show(event)
    } else if (event.kind === 'question-close') {
      const index = open.findIndex(({ token }) => token === event.token)
      if (index >= 0) open.splice(index, 1)
      const [next] = open
      if (index === 0 && next !== undefined) return ask(next)
    }
    return ''
  }

  return {
    step: (events) => events.map(stepEvent).join(''),
    release: () => lines?.close(),
  }
}

function cutArgs(args: unknown): ShownArgs {
  const text = JSON.stringify(args, undefined, 2)
  const shown = text.slice(0, maxShownCharacters)
  return { text: `${toSafeText(shown)}\n`, leftOut: text.length - shown.length }
}
