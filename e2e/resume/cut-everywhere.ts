import type { ReadFrame, ReadRequest, Transport } from '../testing/reading.ts'
import { compareCut, readCut } from './cutting.ts'
import { eachAtOnce } from './each-at-once.ts'
import { maxJoiningOf } from './views.ts'

const atOnce = 8

/** Cuts one reader behind each frame of a stored session, and tells what is wrong with those who differ. */
export async function cutEverywhere(
  transport: Transport,
  request: ReadRequest,
  whole: readonly ReadFrame[],
): Promise<readonly string[]> {
  const counts = whole.map((_, index) => index + 1)
  const differences = await eachAtOnce(counts, atOnce, async (count) => {
    const { before, after } = readCut(transport, request, count)
    return compareCut(whole, count, before, await after, maxJoiningOf(request))
  })
  return differences.filter((difference) => difference !== undefined)
}
