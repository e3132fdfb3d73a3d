import type { Answer } from '@sluice/client'
import { useLayoutEffect, useRef } from 'react'
import type { AnswerWays } from './answer-ways.ts'
import { FreeAnswer } from './free-answer.tsx'
import type { QuestionLabels } from './question-labels.ts'

interface AnswerAreaProps {
  readonly token: string
  readonly ways: AnswerWays
  readonly labels: QuestionLabels
  readonly isPending: boolean
  /** Whether the keys of the ways are active. */
  readonly hasKeys: boolean
  onAnswer(answer: Answer): void
}

/** All ways to answer. When they disappear, a focus inside moves to the question instead of being lost. */
export function AnswerArea({ token, ways, labels, isPending, hasKeys, onAnswer }: AnswerAreaProps) {
  const area = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = area.current
    return () => {
      // React calls this while the element is still in the page.
      if (element?.contains(document.activeElement) !== true) return
      element.closest<HTMLElement>('[data-part="question"]')?.focus({ preventScroll: true })
    }
  }, [])
  return (
    <div ref={area} data-part="answers">
      {ways.buttons.map(({ label, answer, key, tone, isDefault }) => (
        <button
          key={label}
          type="button"
          data-part="answer"
          data-tone={tone}
          data-default={isDefault || undefined}
          aria-disabled={isPending}
          aria-keyshortcuts={hasKeys ? key : undefined}
          onClick={() => onAnswer(answer)}
        >
          {label}
          {hasKeys && key !== undefined && (
            <span data-part="key" aria-hidden="true">
              {key}
            </span>
          )}
        </button>
      ))}
      {ways.typed !== undefined && (
        <FreeAnswer
          token={token}
          kind={ways.typed}
          labels={labels}
          isPending={isPending}
          onAnswer={onAnswer}
        />
      )}
    </div>
  )
}
