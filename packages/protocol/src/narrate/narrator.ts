import type { AaepFrame } from '../dialects/index.ts'
import { omitUndefined } from '../omit-undefined.ts'
import {
  type AaepEvent,
  type Clarification,
  type Confirmation,
  carriedEvent,
  isCoreEvent,
  languageOf,
} from './aaep-event.ts'
import { createCodeReader } from './code-reader.ts'
import { createMarkdownReader } from './markdown/markdown-reader.ts'
import { narrateEvent, summaryOf, type Verbosity } from './narrate-event.ts'
import type { NarrationPhrases } from './phrases/narration-phrases.ts'
import { createPlainReader } from './plain-reader.ts'
import { type OpenQuestion, toOpenQuestion } from './questions/open-question.ts'
import { tellQuestion, toSentence } from './questions/tell-question.ts'
import { type SessionPlace, startingPlace, updatePlace } from './session-place.ts'
import { toSpokenLine } from './spoken-text.ts'
import type { TextReader } from './text-reader.ts'
import type { Utterance } from './utterance.ts'

/** The words and the level of detail of a narration. */
export interface NarratorTone {
  readonly phrases: NarrationPhrases
  readonly verbosity: Verbosity
}

export interface NarratorOptions extends NarratorTone {
  /** Explains in sentences how to answer a question here. Without it, the narrator does not explain that. */
  hintAt?(question: OpenQuestion): readonly string[]
}

/** Turns the events of a session into lines for the ear. */
export interface Narrator {
  hear(event: AaepFrame): readonly Utterance[]
  /** The rest of the open texts, for a stream that ends early. */
  end(): readonly Utterance[]
  /** Changes the tone of what follows. A text in progress keeps its phrases. */
  setTone(tone: NarratorTone): void
  readonly place: SessionPlace
  /** In the order in which they must be answered. */
  readonly questions: readonly OpenQuestion[]
}

export function createNarrator(options: NarratorOptions): Narrator {
  const { hintAt = () => [] } = options
  let { phrases, verbosity } = options
  const readers = new Map<string, TextReader>()
  let place = startingPlace
  let questions: readonly OpenQuestion[] = []
  let lastState = ''

  function hearText(event: AaepEvent<'aaep:agent.output.streaming'>): readonly Utterance[] {
    const output = event.output_id ?? ''
    const reader = readers.get(output) ?? createReader(event, phrases)
    readers.set(output, reader)
    const told = reader.push(event.chunk)
    if (!event.complete) return told
    readers.delete(output)
    return [...told, ...reader.end()]
  }

  function interrupt(): readonly Utterance[] {
    return [...readers.values()].flatMap((reader) => reader.interrupt())
  }

  function endTexts(): readonly Utterance[] {
    const told = [...readers.values()].flatMap((reader) => reader.end())
    readers.clear()
    return told
  }

  function ask(question: OpenQuestion, isNext: boolean): Utterance {
    const isTerse = verbosity === 'terse'
    const text = tellQuestion(question, { phrases, hints: hintAt(question), isNext, isTerse })
    const language = languageOf(question.event)
    return omitUndefined({ text, question, isCritical: true, language })
  }

  function hearQuestion(event: Confirmation | Clarification): readonly Utterance[] {
    const question = toOpenQuestion(event)
    // A client that joins receives the open questions again, and may have heard them before.
    if (questions.some(({ token }) => token === question.token)) return []
    const isNext = questions.length > 0
    questions = [...questions, question]
    return [...interrupt(), ask(question, isNext)]
  }

  /** The question that a change of state closes: the one that it names, or else the only one. */
  function closedBy(event: AaepEvent<'aaep:agent.state.changed'>): OpenQuestion | undefined {
    const close = carriedEvent(event)
    if (close?.['kind'] === 'question-close')
      return questions.find(
        ({ token, event: asked }) => token === close['token'] || asked.reply_token === close['token'],
      )
    if (event.from_state !== 'awaiting_input' || event.to_state === 'awaiting_input') return undefined
    return questions.length === 1 ? questions[0] : undefined
  }

  function hearState(event: AaepEvent<'aaep:agent.state.changed'>): readonly Utterance[] {
    const closed = closedBy(event)
    if (closed === undefined) {
      const told = narrateEvent(event, phrases, verbosity).join('')
      if (told === '' || told === lastState || isToldOtherwise(event)) return []
      lastState = told
      return [...(event.to_state === 'writing_output' ? [] : interrupt()), ...utter(event, [told])]
    }
    const isFirst = questions[0] === closed
    questions = questions.filter((question) => question !== closed)
    const [next] = questions
    const outcome = summaryOf(event, verbosity) ?? tellOutcome(carriedEvent(event), phrases)
    return [
      ...utter(event, [toSentence(outcome, phrases)]),
      ...(isFirst && next !== undefined ? [ask(next, false)] : []),
    ]
  }

  /** The text, the tool or the question that follows makes these states obvious. */
  function isToldOtherwise(event: AaepEvent<'aaep:agent.state.changed'>): boolean {
    const isOurs = summaryOf(event, verbosity) === undefined
    return isOurs && ['writing_output', 'calling_tool', 'awaiting_input'].includes(event.to_state)
  }

  function utter(event: AaepFrame, sentences: readonly string[]): readonly Utterance[] {
    const text = toSpokenLine(sentences.filter((sentence) => sentence !== '').join(' '))
    if (text === '') return []
    const language = languageOf(event)
    return [
      {
        text,
        ...omitUndefined({ language }),
        ...('urgency' in event && event.urgency === 'critical' ? { isCritical: true } : {}),
      },
    ]
  }

  function hearOther(event: AaepFrame): readonly Utterance[] {
    const told = utter(event, narrateEvent(event, phrases, verbosity))
    if (event.type === 'aaep:agent.progress.updated' || told.length === 0) return told
    return [...interrupt(), ...told]
  }

  function hearCore(event: AaepEvent): readonly Utterance[] {
    switch (event.type) {
      case 'aaep:agent.output.streaming':
        return hearText(event)
      case 'aaep:agent.awaiting.confirmation':
      case 'aaep:agent.awaiting.clarification':
        return hearQuestion(event)
      case 'aaep:agent.state.changed':
        return hearState(event)
      case 'aaep:agent.session.completed':
      case 'aaep:agent.session.errored':
      case 'aaep:agent.session.cancelled':
        questions = []
        return [
          ...endTexts(),
          ...utter(event, narrateEvent(event, phrases, verbosity)).map(
            (last) => ({ ...last, isKept: true }) as const,
          ),
        ]
      case 'aaep:agent.session.started':
      case 'aaep:agent.progress.updated':
      case 'aaep:agent.tool.invoked':
      case 'aaep:agent.tool.completed':
      case 'aaep:agent.handoff.requested':
        return hearOther(event)
    }
  }

  return {
    hear(event) {
      place = updatePlace(place, event)
      if (event.type !== 'aaep:agent.state.changed') lastState = ''
      return isCoreEvent(event) ? hearCore(event) : hearOther(event)
    },
    end: endTexts,
    setTone(tone) {
      phrases = tone.phrases
      verbosity = tone.verbosity
    },
    get place() {
      return place
    },
    get questions() {
      return questions
    },
  }
}

/** Agents write Markdown and usually do not declare it, so only a declared plain text is plain. */
function createReader(
  event: AaepEvent<'aaep:agent.output.streaming'>,
  phrases: NarrationPhrases,
): TextReader {
  const language = languageOf(event)
  const type = event.content_type?.toLowerCase() ?? 'text/markdown'
  if (type === 'text/plain') return createPlainReader(language)
  if (/^text\/(x-)?markdown$/.test(type)) return createMarkdownReader(phrases, language)
  return createCodeReader(type.replace(/^[^/]*\/(?:x-|vnd\.)?/, ''), phrases)
}

function tellOutcome(
  close: Readonly<Record<string, unknown>> | undefined,
  phrases: NarrationPhrases,
): string {
  const { outcomes } = phrases
  if (close?.['how'] === 'timeout') return outcomes.timeout
  if (close?.['how'] === 'cancelled') return outcomes.withdrawn
  if (close?.['decision'] === 'accept') return outcomes.accepted
  return close?.['decision'] === 'reject' ? outcomes.rejected : outcomes.answered
}
