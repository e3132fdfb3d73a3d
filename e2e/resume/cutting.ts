import type { ReadFrame, ReadRequest, Transport } from '../testing/reading.ts'

/** A reader that is cut off once and reconnects. */
export interface CutReading {
  /** The frames before the cut. */
  readonly before: readonly ReadFrame[]
  /** Resolves when it was cut and has reconnected. */
  readonly back: Promise<void>
  /** The frames after that, once the session has ended. */
  readonly after: Promise<readonly ReadFrame[]>
}

/** Reads a session to its end. */
export async function readWhole(transport: Transport, request: ReadRequest): Promise<readonly ReadFrame[]> {
  const frames: ReadFrame[] = []
  const { closed, opened } = transport(request, (frame) => frames.push(frame))
  await opened
  const { how } = await closed
  if (how !== 'ended') throw new Error(`the reader of ${JSON.stringify(request)} was left with: ${how}`)
  return frames
}

/** Reads `count` frames, is cut off there, and resumes from its last cursor. */
export function readCut(transport: Transport, request: ReadRequest, count: number): CutReading {
  const before: ReadFrame[] = []
  const first = transport(request, (frame) => {
    before.push(frame)
    if (before.length === count) first.cut()
  })
  const rest: ReadFrame[] = []
  const second = first.closed.then(({ how }) => {
    if (how !== 'cut') throw new Error(`${how} before frame ${count} of ${JSON.stringify(request)}`)
    return transport({ ...request, after: before.at(-1)?.cursor ?? request.after }, (frame) =>
      rest.push(frame),
    )
  })
  const after = second.then(async ({ closed }) => {
    const { how } = await closed
    if (how !== 'ended') throw new Error(`${how} after frame ${count} of ${JSON.stringify(request)}`)
    return rest
  })
  const back = second.then(({ opened }) => opened)
  for (const promise of [after, back]) promise.catch(() => {}) // callers that need the error await it
  return { before, back, after }
}

/** The frames that a reader received before and after it was cut off. */
interface ReadInTwo {
  readonly before: readonly ReadFrame[]
  readonly after: readonly ReadFrame[]
}

/**
 * The first fault of a reader that was cut off after frame `count` of `whole`, if any. Frames that its
 * dialect needs for joining come first, at the reader's cursor; all others match the uninterrupted run.
 */
export function compareCut(
  whole: readonly ReadFrame[],
  { before, after }: ReadInTwo,
  { count, maxJoining }: { readonly count: number; readonly maxJoining: number },
): string | undefined {
  const expected = whole.slice(count)
  const joining = after.length - expected.length
  const at = whole[count - 1]?.cursor ?? '-1'
  if (joining < 0 || joining > maxJoining)
    return `${after.length} frames instead of ${expected.length} after ${at}`
  for (const frame of after.slice(0, joining))
    if (frame.cursor !== at) return `a joining frame at ${frame.cursor} after ${at}: ${frame.text}`
  return (
    findDifference(whole.slice(0, count), before, `before ${at}`) ??
    findDifference(expected, after.slice(joining), `after ${at}`)
  )
}

/** Describes the first frame that differs. */
export function findDifference(
  expected: readonly ReadFrame[],
  found: readonly ReadFrame[],
  where: string,
): string | undefined {
  for (let index = 0; index < Math.max(expected.length, found.length); index += 1) {
    const [a, b] = [expected[index], found[index]]
    if (a?.cursor !== b?.cursor || a?.text !== b?.text)
      return `${where}, frame ${index}:\n expected ${a?.cursor} ${a?.text.slice(0, 600)}\n found    ${b?.cursor} ${b?.text.slice(0, 600)}`
  }
  return undefined
}
