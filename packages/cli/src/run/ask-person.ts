import { createInterface } from 'node:readline'
import type { Answer } from '@sluice/client'
import type { QuestionOpen, SluiceEvent } from '@sluice/protocol'
import type { Io } from '../io.ts'
import { toSafeLine, toSafeText } from '../safe-text.ts'
import { answerHint, answerWays, toAnswer } from './answer-ways.ts'

/** Asks the person at the terminal, one question after the other. */
export interface Asking {
  /** Looks at what happens; answers what to show besides the transcript. */
  step(events: readonly SluiceEvent[]): string
  release(): void
}

const maxShownCharacters = 4000

/** Reads lines where the input is a terminal; otherwise questions are for others to answer. */
export function createAsking(
  io: Io & { readonly stdin: { readonly isTTY?: boolean } },
  send: (answer: Answer) => void,
): Asking {
  const isTerminal = io.stdin.isTTY === true
  const open: QuestionOpen[] = []
  const calls = new Map<string, string>()
  const lines = isTerminal ? createInterface({ input: io.stdin, terminal: false }) : undefined

  lines?.on('line', (line) => {
    const [question] = open
    if (question === undefined) return
    const answer = toAnswer(question, line)
    if (answer === undefined) io.stderr.write(`${answerHint(question)}\n`)
    else send(answer)
  })

  const show = (question: QuestionOpen): string => {
    const args = calls.get(question.meta?.parent ?? '')
    const choices = answerWays(question).choices.map(
      ({ label }, index) => `  ${index + 1}. ${toSafeLine(label)}\n`,
    )
    return `${args ?? ''}${choices.join('')}${isTerminal ? `  ${answerHint(question)}\n` : ''}`
  }

  const stepEvent = (event: SluiceEvent): string => {
    if (event.kind === 'tool-call' && event.args !== undefined) {
      const text = toSafeText(JSON.stringify(event.args, undefined, 2)).slice(0, maxShownCharacters)
      calls.set(event.call, text.replace(/^/gm, '  ').concat('\n'))
    } else if (event.kind === 'tool-result') calls.delete(event.call)
    else if (event.kind === 'question-open') {
      open.push(event)
      return open.length === 1 ? show(event) : ''
    } else if (event.kind === 'question-close') {
      const index = open.findIndex(({ token }) => token === event.token)
      if (index >= 0) open.splice(index, 1)
      const [next] = open
      if (index === 0 && next !== undefined) return `? ${toSafeLine(next.text, 1000)}\n${show(next)}`
    }
    return ''
  }

  return {
    step: (events) => events.map(stepEvent).join(''),
    release: () => lines?.close(),
  }
}
