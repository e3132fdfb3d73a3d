import type { SluiceEvent } from '@sluice/protocol'

/** aider's answers, one after the other, in lines. */
export interface Answers {
  /** How many answers so far, including the open one. */
  readonly count: number
  readonly isOpen: boolean
  /** aider has reported the tokens of the open answer, so further text starts another one. */
  readonly isWhole: boolean
  /** Blank lines, which are part of the text only if more of it follows. */
  readonly held: string
  readonly isInFence: boolean
  /** The text of all answers. */
  readonly text: string
}

export interface MappedAnswer {
  readonly answers: Answers
  readonly events: readonly SluiceEvent[]
}

export const noAnswers: Answers = {
  count: 0,
  isOpen: false,
  isWhole: false,
  held: '',
  isInFence: false,
  text: '',
}

const fence = /^\s*(?:`{3,}|~{3,})/

/** Adds whole lines of text, including their line ends. */
export function addText(answers: Answers, lines: string): MappedAnswer {
  const before = answers.isWhole ? endAnswer(answers) : { answers, events: [] }
  const { isOpen, count, held, isInFence, text } = before.answers
  const number = isOpen ? count : count + 1
  const added = (isOpen ? held : '') + lines
  const delta: SluiceEvent = {
    kind: 'text-delta',
    output: toOutput(number),
    take: 0,
    position: 0,
    channel: 'answer',
    text: added,
  }
  return {
    answers: {
      count: number,
      isOpen: true,
      isWhole: false,
      held: '',
      isInFence: fence.test(lines) ? !isInFence : isInFence,
      text: text + added,
    },
    events: [...before.events, delta],
  }
}

export function addBlank(answers: Answers, line: string): Answers {
  return { ...answers, held: `${answers.held}${line}\n` }
}

/** Ends the open answer. */
export function endAnswer(answers: Answers): MappedAnswer {
  const ended = { ...answers, isOpen: false, isWhole: false, held: '' }
  if (!answers.isOpen) return { answers: ended, events: [] }
  return { answers: ended, events: [{ kind: 'text-end', output: toOutput(answers.count), take: 0 }] }
}

function toOutput(number: number): string {
  return number === 1 ? 'answer' : `answer_${number}`
}
