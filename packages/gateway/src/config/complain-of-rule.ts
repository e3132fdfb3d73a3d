/** Called for a broken rule, with the place, the other places that the rule depends on, and the error. */
export type ComplainOfRule = (
  path: readonly string[],
  beside: readonly (readonly string[])[],
  says: string,
) => void
