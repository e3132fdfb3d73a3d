import { Question, type SessionActions, type SessionView } from '@sluice/react'
import { type Ref, useState } from 'react'
import { useAccess } from '../access/access.tsx'
import { useSettings } from '../settings/settings-context.tsx'
import { CommandLine } from '../shell/command-line.tsx'

interface QuestionAreaProps {
  readonly session: SessionView & SessionActions
  readonly headingLevel: 2 | 3 | 4
  /** The first open question, which a key leads to. */
  readonly ref?: Ref<HTMLElement>
}

/** The open questions, and the last one that was closed while the page was open, to show how. */
export function QuestionArea({ session, headingLevel, ref }: QuestionAreaProps) {
  const { may } = useAccess()
  const { settings } = useSettings()
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  const { questions } = session
  const open = questions.filter(({ closed }) => closed === undefined)
  const fresh = open.filter(({ token }) => !seen.has(token))
  // During rendering, as React recommends for state derived from props.
  if (fresh.length > 0) setSeen(new Set([...seen, ...fresh.map(({ token }) => token)]))
  const lastClosed = questions.filter(({ token, closed }) => closed !== undefined && seen.has(token)).at(-1)
  // In their order: an element that moves loses the focus.
  const shown = questions.filter((question) => question.closed === undefined || question === lastClosed)
  const first = open[0] ?? lastClosed
  if (shown.length === 0) return null
  return (
    <div className="questions">
      {shown.map((question) => (
        <Question
          key={question.token}
          {...(question === first && ref !== undefined ? { ref } : {})}
          className="question"
          question={question}
          headingLevel={headingLevel}
          hasKeys={settings.shortcuts}
          onAnswer={session.answer}
          {...(may('answer') ? {} : { readOnly: <NoAnswer /> })}
        />
      ))}
    </div>
  )
}

function NoAnswer() {
  return (
    <>
      Answering needs a key. Open the link that the gateway printed, or sign in with a key that may answer:
      <CommandLine command="npx sluice token create --subject YOU --grant 'answer:*'" />
    </>
  )
}
