import type { ReadFrame, ReadRequest } from '../testing/reading.ts'
import { type TransportName, transportNames, transports } from '../testing/transports.ts'
import { compareCut, readCut } from './cutting.ts'
import { eachAtOnce } from './each-at-once.ts'
import { maxJoiningOf } from './views.ts'

const atOnce = 8

/**
 * Cuts a reader after each frame of a stored session, and describes those that differ: a reader over each
 * transport, or over the transports in turn.
 */
export async function cutEverywhere(
  request: ReadRequest,
  whole: readonly ReadFrame[],
  over: 'each' | 'in-turn',
): Promise<readonly string[]> {
  const cuts = whole.flatMap((_, index) =>
    transportNames
      .filter((_, turn) => over === 'each' || turn === index % transportNames.length)
      .map((name): readonly [TransportName, number] => [name, index + 1]),
  )
  const differences = await eachAtOnce(cuts, atOnce, async ([name, count]) => {
    const { before, after } = readCut(transports[name], request, count)
    const difference = compareCut(whole, count, before, await after, maxJoiningOf(request))
    return difference === undefined ? undefined : `${name}: ${difference}`
  })
  return differences.filter((difference) => difference !== undefined)
}
