/** How many questions are open, in all and per subject that published them. */
export interface QuestionQuota {
  /** How many more the subject may open. */
  room(subject: string | undefined): number
  /** Counts questions until the returned function is called. */
  enter(subject: string | undefined, count: number): () => void
}

export function createQuestionQuota(limits: {
  readonly openQuestions: number
  readonly openQuestionsPerSubject: number
}): QuestionQuota {
  const open = new Map<string | undefined, number>()
  let all = 0

  const add = (subject: string | undefined, count: number): void => {
    all += count
    const mine = (open.get(subject) ?? 0) + count
    if (mine === 0) open.delete(subject)
    else open.set(subject, mine)
  }

  return {
    room: (subject) =>
      Math.min(limits.openQuestions - all, limits.openQuestionsPerSubject - (open.get(subject) ?? 0)),
    enter(subject, count) {
      add(subject, count)
      let isOpen = true
      return () => {
        if (isOpen) add(subject, -count)
        isOpen = false
      }
    },
  }
}
