import type { Answer } from '@sluice/client'
import { type FormEvent, useId, useState } from 'react'
import type { QuestionLabels } from './question-labels.ts'

interface FreeAnswerProps {
  readonly token: string
  readonly kind: 'text' | 'number'
  readonly labels: QuestionLabels
  readonly isPending: boolean
  onAnswer(answer: Answer): void
}

/** An answer that is typed. */
export function FreeAnswer({ token, kind, labels, isPending, onAnswer }: FreeAnswerProps) {
  const id = useId()
  const [text, setText] = useState('')
  const isComplete = text.trim() !== '' && (kind === 'text' || Number.isFinite(Number(text)))

  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isComplete) onAnswer({ token, response: kind === 'number' ? Number(text) : text.trim() })
  }

  return (
    <form data-part="form" onSubmit={submit}>
      <label htmlFor={id} data-part="label">
        {kind === 'number' ? labels.typeNumber : labels.typeText}
      </label>
      <input
        id={id}
        data-part="input"
        value={text}
        dir="auto"
        autoComplete="off"
        inputMode={kind === 'number' ? 'decimal' : 'text'}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" data-part="send" aria-disabled={isPending || !isComplete}>
        {labels.send}
      </button>
    </form>
  )
}
