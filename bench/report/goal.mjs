import { medianOf } from './spread.mjs'

/** A goal for a ratio: `≥ 0.7`. */
export const atLeast = (bound) => ({ text: `≥ ${bound}`, isMet: (value) => value >= bound })

/** A goal for a ratio: `≤ 2`. */
export const atMost = (bound) => ({ text: `≤ ${bound}`, isMet: (value) => value <= bound })

/** Two cells: the goal, and whether the median of `values` meets it; both empty without a goal. */
export function judge(goal, values) {
  if (goal === undefined) return ['', '']
  return [goal.text, goal.isMet(medianOf(values)) ? 'yes' : 'no']
}
