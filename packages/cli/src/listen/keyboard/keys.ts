import { SluiceError } from '@sluice/protocol'
import {
  type Answer,
  fill,
  fillPlural,
  type Narrator,
  type OpenQuestion,
  readCode,
  tellPlace,
} from '@sluice/protocol/narrate'
import { quoteImitations } from '../imitation.ts'
import type { ListenSource } from '../listen-source.ts'
import type { ListenPhrases } from '../phrases/key-phrases.ts'
import { answerOfKey, parseAnswer, tellAnswer } from '../questions/parse-answer.ts'
import type { Teller } from '../teller.ts'

export interface KeysParts {
  readonly narrator: Narrator
  readonly teller: Teller
  readonly phrases: ListenPhrases
  readonly reply: ListenSource['reply']
  /** Reads a typed line; undefined when the input ended. */
  readLine(): Promise<string | undefined>
  quit(): void
}

/** What each key does. */
export interface Keys {
  press(key: string, isAlone: boolean): void
}

export function createKeys({ narrator, teller, phrases, reply, readLine, quit }: KeysParts): Keys {
  const sent = new Set<OpenQuestion>()

  /** The question that keys answer: the first open one, once it was announced. */
  function currentQuestion(): OpenQuestion | undefined {
    const [question] = narrator.questions
    return question !== undefined && teller.wasTold(question) ? question : undefined
  }

  async function send(question: OpenQuestion, answer: Answer): Promise<void> {
    sent.add(question)
    try {
      const { counted } = await reply(question.event, answer)
      if (counted === false) teller.respond(phrases.notCounted)
      else teller.respond(fill(phrases.sent, { text: tellAnswer(question, answer, phrases) }))
    } catch (error) {
      sent.delete(question)
      const why = error instanceof SluiceError ? error.message : ''
      teller.respond(fill(phrases.notSent, { text: why }).trim())
    }
  }

  /** Returns the question that can be answered, or announces why there is none. */
  function askable(): OpenQuestion | undefined {
    const question = currentQuestion()
    if (question !== undefined && !sent.has(question)) return question
    teller.respond(question === undefined ? phrases.noQuestion : phrases.sentAlready)
    return undefined
  }

  function answer(key: string): void {
    const question = askable()
    if (question === undefined) return
    const chosen = answerOfKey(question, key)
    if (chosen === undefined) teller.respond(phrases.notAnAnswer)
    else void send(question, chosen)
  }

  async function type(): Promise<void> {
    const question = askable()
    if (question === undefined) return
    teller.isHeld = true
    teller.respond(phrases.typeNow)
    const line = await readLine()
    teller.isHeld = false
    if (line === undefined) return
    if (line.trim() === '') return teller.respond(phrases.nothingSent)
    if (!narrator.questions.includes(question)) return teller.respond(phrases.closedMeanwhile)
    const typed = parseAnswer(question, line, phrases)
    if (typed === undefined) teller.respond(phrases.notAnAnswer)
    else await send(question, typed)
  }

  function skip(): void {
    teller.respond(fillPlural(phrases.skipped, teller.skip(), phrases.language))
  }

  function tellWhere(): void {
    const waits = { questions: narrator.questions.length, lines: teller.waiting }
    teller.respond(tellPlace(narrator.place, waits, phrases))
  }

  function readLastCode(): void {
    const code = teller.lastCode
    if (code === undefined) teller.respond(phrases.noCode)
    else teller.read(quoteImitations(readCode(code, phrases), phrases))
  }

  function pause(): void {
    const isPaused = !teller.isPaused
    teller.respond(isPaused ? phrases.paused : phrases.resumed)
    teller.isPaused = isPaused
  }

  const actions: Readonly<Record<string, () => void>> = {
    r: () => teller.repeat() || teller.respond(phrases.nothingToRepeat),
    e: skip,
    w: tellWhere,
    c: readLastCode,
    p: pause,
    a: () => void type(),
    '?': () => teller.respond(phrases.keys.join(' ')),
    q: quit,
    '\u0003': quit, // Ctrl-C, which a terminal in raw mode sends as a key
    '\u0004': quit, // Ctrl-D
  }

  return {
    press(key, isAlone) {
      const pressed = key.toLowerCase()
      // Pasted text cannot answer a question.
      if (/^[yn1-9]$/.test(pressed)) return isAlone ? answer(pressed) : undefined
      if (Object.hasOwn(actions, pressed)) actions[pressed]?.()
    },
  }
}
