import {
  answerWays,
  describeClose,
  englishQuestionLabels,
  isClaimed,
  type QuestionLabels,
  type QuestionView,
} from '@sluice/react'

const labels: QuestionLabels = {
  ...englishQuestionLabels,
  answered: (answer, { by }) => `${answer}${by === undefined ? '' : `, by ${by}`}`,
  claimed: (answer = 'answered', by) => `${answer}${by === undefined ? '' : `, by ${by}`}, says the agent`,
}

/** Closed questions: what was asked, and how they were answered. */
export function AskedQuestions({ questions }: { readonly questions: readonly QuestionView[] }) {
  return (
    <section aria-labelledby="answer-questions">
      <h2 id="answer-questions" className="section-title">
        Questions
      </h2>
      <dl className="asked">
        {questions.map(({ token, asked, closed }) => (
          <div key={token}>
            <dt dir="auto">{asked.text}</dt>
            <dd data-claimed={closed !== undefined && isClaimed(closed) ? true : undefined}>
              {closed !== undefined && describeClose(closed, answerWays(asked, labels), { labels })}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
