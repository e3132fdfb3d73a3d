import { answerWays, describeClose, englishQuestionLabels, type QuestionView } from '@sluice/react'

/** The questions that were asked and are closed: what, and how they were answered. */
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
            <dd>
              {closed !== undefined &&
                describeClose(closed, answerWays(asked, englishQuestionLabels), undefined, {
                  ...englishQuestionLabels,
                  answered: (answer, by) => `${answer}${by === undefined ? '' : `, by ${by}`}`,
                })}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
