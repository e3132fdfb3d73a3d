import type { Client, SluiceFrame } from '@sluice/client'
import type { JsonValue, SluiceEvent } from '@sluice/protocol'

/** What a search has found so far. */
export interface SearchProgress {
  /** The entries that contain the text, in order. */
  readonly found: readonly number[]
  /** How many entries were searched. */
  readonly looked: number
  readonly isDone: boolean
}

/** More are of no use to anybody. */
const maxFound = 1000
const pageSize = 1000

/** Searches the entries of a session for a text, ignoring case, page by page. */
export async function* searchEntries(
  client: Client,
  { session, text }: { readonly session: string; readonly text: string },
  signal: AbortSignal,
): AsyncGenerator<SearchProgress, void> {
  const match = createMatcher(text)
  const found: number[] = []
  let looked = 0
  for (let after = '-1'; ; ) {
    const page = await client.read(session, { after, limit: pageSize, signal })
    for (const { frame } of page.frames) {
      if (found.length < maxFound && match(frame)) found.push(frame.seq)
      looked = frame.seq + 1
    }
    const isDone = page.end || page.frames.length === 0 || found.length >= maxFound
    yield { found: [...found], looked, isDone }
    if (isDone) return
    after = page.cursor
  }
}

/** Creates a check for whether an entry contains the text, even if the text began in the previous delta. */
export function createMatcher(text: string): (frame: Pick<SluiceFrame, 'events'>) => boolean {
  const wanted = text.toLowerCase()
  const tails = new Map<string, string>()
  const inDelta = ({ output, take, text: piece }: Extract<SluiceEvent, { kind: 'text-delta' }>): boolean => {
    const key = `${take} ${output}`
    const joined = (tails.get(key) ?? '') + piece.toLowerCase()
    tails.set(key, wanted.length > 1 ? joined.slice(1 - wanted.length) : '')
    return joined.includes(wanted)
  }
  return ({ events }) => {
    let isFound = false
    for (const event of events) {
      // Every event is checked, even after a match: the next delta needs the end of this one.
      const { meta: _meta, ...rest } = event
      if (event.kind === 'text-delta' ? inDelta(event) : has(rest as unknown as JsonValue, wanted))
        isFound = true
    }
    return isFound
  }
}

/** Whether a string or a number inside a JSON value contains the text. */
function has(value: JsonValue | undefined, wanted: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(wanted)
  if (typeof value === 'number') return String(value).includes(wanted)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((member) => has(member, wanted))
}
