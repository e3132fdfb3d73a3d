/** Told of a rule that is broken: the place, the other places that the rule looks at, and what is wrong. */
export type ComplainOfRule = (
  path: readonly string[],
  beside: readonly (readonly string[])[],
  says: string,
) => void
