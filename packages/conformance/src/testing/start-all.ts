/** Starts the work on every item, at most `maxAtOnce` at a time; each answer can be awaited alone. */
export function startAll<Item, Answer>(
  items: readonly Item[],
  maxAtOnce: number,
  work: (item: Item) => Promise<Answer>,
): readonly Promise<Answer>[] {
  const lanes = Array.from({ length: maxAtOnce }, () => Promise.resolve() as Promise<unknown>)
  return items.map((item, index) => {
    const lane = index % maxAtOnce
    const answer = (lanes[lane] ?? Promise.resolve()).then(() => work(item))
    // A failure reaches the caller through the answer; the lane goes on.
    lanes[lane] = answer.catch(() => undefined)
    return answer
  })
}
