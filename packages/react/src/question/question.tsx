import type { Answer } from '@sluice/client'
import type { SluiceError } from '@sluice/protocol'
import { type KeyboardEvent, type ReactNode, type Ref, useId, useState } from 'react'
import type { QuestionView } from '../session/session-view.ts'
import { AnswerArea } from './answer-area.tsx'
import { type AnswerWay, answerWays, wayOfKey } from './answer-ways.ts'
import { describeClose, isClaimed } from './describe-close.ts'
import { englishQuestionLabels, type QuestionLabels } from './question-labels.ts'
import { useTimeLeft } from './use-time-left.ts'

export interface QuestionProps {
  readonly question: QuestionView
  /** Sends the answer. A rejection is shown, and so is `{ counted: false }`. */
  onAnswer(answer: Answer): Promise<unknown>
  /** Its texts; English by default. */
  readonly labels?: QuestionLabels
  /** Replaces the buttons for people who may read but not answer, and says why. */
  readonly readOnly?: ReactNode
  /** Whether single keys answer while the focus is inside. Default true. */
  readonly hasKeys?: boolean
  readonly headingLevel?: 2 | 3 | 4
  readonly className?: string
  readonly ref?: Ref<HTMLElement>
}

/**
 * A question of an agent, unstyled: parts are found by their `data-part`. It never takes the focus by itself, but
 * keeps one that is inside when it is answered. Its only live region is the notice that an answer given here was not
 * sent or did not count; everything else is announced by the Announcer. While the focus is inside, y and n accept and
 * reject and numbers choose.
 */
export function Question({
  question,
  onAnswer,
  labels = englishQuestionLabels,
  readOnly,
  hasKeys = true,
  headingLevel = 2,
  className,
  ref,
}: QuestionProps) {
  const id = useId()
  const [sent, setSent] = useState<Answer>()
  const [failure, setFailure] = useState<SluiceError | Error>()
  const [isIgnored, setIgnored] = useState(false)
  const { asked, closed } = question
  const isOpen = closed === undefined
  const timeLeft = useTimeLeft(isOpen ? question.deadline : undefined)
  const ways = answerWays(asked, labels)
  const Heading = `h${headingLevel}` as const
  const isPending = isOpen && sent !== undefined && failure === undefined && !isIgnored

  const send = (answer: Answer): void => {
    if (!isOpen || isPending || readOnly !== undefined) return
    setSent(answer)
    setFailure(undefined)
    setIgnored(false)
    onAnswer(answer).then(
      (receipt) => setIgnored(isUncounted(receipt)),
      (error: unknown) => setFailure(error instanceof Error ? error : new Error(String(error))),
    )
  }

  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (!hasKeys || event.altKey || event.ctrlKey || event.metaKey || isTyping(event.target)) return
    const way = wayOfKey(ways, event.key)
    if (way === undefined) return
    event.preventDefault()
    send(way.answer)
  }

  return (
    <section
      ref={ref}
      className={className}
      tabIndex={-1}
      aria-labelledby={`${id}-text`}
      aria-describedby={`${id}-about`}
      data-part="question"
      data-state={isOpen ? 'open' : closed.how}
      data-risk={asked.risk}
      onKeyDown={onKeyDown}
    >
      <p data-part="kind">{labels.kinds[asked.question]}</p>
      <Heading id={`${id}-text`} data-part="text" dir="auto">
        {asked.text}
      </Heading>
      <div id={`${id}-about`} data-part="about">
        {asked.consequence !== undefined && (
          <p data-part="consequence" dir="auto">
            <strong>{labels.consequence}</strong> {asked.consequence}
          </p>
        )}
        <ul data-part="facts">
          {asked.risk !== undefined && (
            <li data-part="risk" data-risk={asked.risk}>
              {labels.risks[asked.risk]}
            </li>
          )}
          {asked.irreversible === true && <li data-part="irreversible">{labels.irreversible}</li>}
          {isOpen && timeLeft !== undefined && <li data-part="time">{labels.timeLeft(timeLeft)}</li>}
          {isOpen && <li data-part="default">{labels.byDefault(defaultLabel(asked.default, ways))}</li>}
        </ul>
      </div>
      {isOpen && readOnly === undefined && (
        <AnswerArea
          token={asked.token}
          ways={ways}
          labels={labels}
          isPending={isPending}
          hasKeys={hasKeys}
          onAnswer={send}
        />
      )}
      {isOpen && readOnly !== undefined && <div data-part="read-only">{readOnly}</div>}
      {/* Exists from the first render on: a live region that appears together with its text is not read. */}
      <p data-part="notice" role="status">
        {failure !== undefined ? labels.notSent(failure.message) : isIgnored ? labels.notCounted : ''}
      </p>
      <p
        data-part="outcome"
        data-empty={isOpen && !isPending ? true : undefined}
        data-claimed={closed !== undefined && isClaimed(closed) ? true : undefined}
      >
        {isPending
          ? labels.sending
          : closed === undefined
            ? ''
            : describeClose(closed, ways, { labels, sent: isIgnored ? undefined : sent })}
      </p>
    </section>
  )
}

function isUncounted(receipt: unknown): boolean {
  return typeof receipt === 'object' && receipt !== null && 'counted' in receipt && receipt.counted === false
}

function defaultLabel(
  value: string | undefined,
  { buttons }: { readonly buttons: readonly AnswerWay[] },
): string | undefined {
  return buttons.find(({ isDefault }) => isDefault)?.label ?? value
}

function isTyping(target: EventTarget): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}
