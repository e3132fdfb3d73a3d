import type { Answer } from '@sluice/client'
import type { QuestionOpen } from '@sluice/protocol'
import type { QuestionLabels } from './question-labels.ts'

/** One way to answer, as a button. */
export interface AnswerWay {
  readonly label: string
  readonly answer: Answer
  /** The key that gives this answer while the focus is in the question. */
  readonly key?: string
  readonly tone: 'yes' | 'no' | 'other'
  /** The answer that takes effect if nobody answers. */
  readonly isDefault: boolean
}

/** All ways to answer a question. */
export interface AnswerWays {
  readonly buttons: readonly AnswerWay[]
  /** What may be typed instead. */
  readonly typed?: 'text' | 'number'
}

export function answerWays(asked: QuestionOpen, labels: QuestionLabels): AnswerWays {
  return asked.question === 'clarification' ? responses(asked, labels) : { buttons: decisions(asked, labels) }
}

/** The way to answer that belongs to a key, if any. */
export function wayOfKey({ buttons }: AnswerWays, key: string): AnswerWay | undefined {
  return buttons.find((way) => way.key !== undefined && way.key === key.toLowerCase())
}

function decisions(asked: QuestionOpen, labels: QuestionLabels): readonly AnswerWay[] {
  const allowed = asked.allowed ?? ['accept', 'reject']
  let number = 0
  return allowed.map((decision) => {
    const answer = { token: asked.token, decision }
    const isDefault = asked.default === decision
    if (decision === 'accept') return { label: labels.accept, answer, key: 'y', tone: 'yes', isDefault }
    if (decision === 'reject') return { label: labels.reject, answer, key: 'n', tone: 'no', isDefault }
    number += 1
    return { label: decision, answer, ...numberKey(number), tone: 'other', isDefault }
  })
}

function responses(asked: QuestionOpen, labels: QuestionLabels): AnswerWays {
  const { token, choices = [] } = asked
  const kinds = asked.kinds ?? [choices.length > 0 ? 'multiple_choice' : 'freetext']
  const way = (response: string | boolean, look: Pick<AnswerWay, 'label' | 'tone' | 'key'>): AnswerWay => ({
    ...look,
    answer: { token, response },
    isDefault: asked.default !== undefined && asked.default === String(response),
  })
  const buttons: AnswerWay[] = []
  if (kinds.includes('yes_no'))
    buttons.push(
      way(true, { label: labels.yes, key: 'y', tone: 'yes' }),
      way(false, { label: labels.no, key: 'n', tone: 'no' }),
    )
  if (kinds.includes('multiple_choice'))
    for (const [index, { label, value }] of choices.entries())
      buttons.push(way(value, { label, ...numberKey(index + 1), tone: 'other' }))
  const typed = kinds.includes('freetext') ? 'text' : kinds.includes('numeric') ? 'number' : undefined
  return typed === undefined ? { buttons } : { buttons, typed }
}

function numberKey(number: number): { readonly key?: string } {
  return number <= 9 ? { key: String(number) } : {}
}
