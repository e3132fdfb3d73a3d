import type { ReadFrame, ReadRequest } from '../testing/reading.ts'
import { type TransportName, transportNames, transports } from '../testing/transports.ts'
import { compareCut, readCut } from './cutting.ts'
import { eachAtOnce } from './each-at-once.ts'
import { maxJoiningOf } from './views.ts'

const atOnce = 8

/** Which readers are cut off: one per frame and transport, one per frame, or one per third frame. */
const choices = {
  each: () => true,
  'in-turn': (frame: number, turn: number) => frame % 3 === turn,
  'every-third': (frame: number, turn: number) => frame % 9 === 3 * turn,
} as const

/** Cuts readers after the frames of a stored session, and describes those that differ. */
export async function cutEverywhere(
  request: ReadRequest,
  whole: readonly ReadFrame[],
  choice: keyof typeof choices,
): Promise<readonly string[]> {
  const cuts = whole.flatMap((_, index) =>
    transportNames
      .filter((_, turn) => choices[choice](index, turn))
      .map((name): readonly [TransportName, number] => [name, index + 1]),
  )
  const differences = await eachAtOnce(cuts, atOnce, async ([name, count]) => {
    const { before, after } = readCut(transports[name], request, count)
    const difference = compareCut(
      whole,
      { before, after: await after },
      { count, maxJoining: maxJoiningOf(request) },
    )
    return difference === undefined ? undefined : `${name}: ${difference}`
  })
  return differences.filter((difference) => difference !== undefined)
}
