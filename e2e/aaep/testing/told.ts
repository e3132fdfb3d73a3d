import type { JsonObject } from '@sluice/protocol'

const toldTypes: ReadonlySet<unknown> = new Set(
  [
    'tool.invoked',
    'tool.completed',
    'awaiting.confirmation',
    'awaiting.clarification',
    'handoff.requested',
    'session.started',
    'session.completed',
    'session.errored',
    'session.cancelled',
  ].map((type) => `aaep:agent.${type}`),
)
const terminalTypes = /^aaep:agent\.session\.(completed|errored|cancelled)$/

/** Whether an event is the last of its session. */
export const isTerminal = ({ type }: JsonObject): boolean => terminalTypes.test(String(type))

/** What no pacing may drop or repeat: the whole text of every output, and every event of the other types. */
export interface Told {
  readonly texts: Readonly<Record<string, string>>
  readonly events: Readonly<Record<string, readonly string[]>>
}

/** Collects the texts and events that a reader received. */
export function toTold(values: readonly JsonObject[]): Told {
  const texts: Record<string, string> = {}
  const starts: Record<string, number> = {}
  const events: Record<string, string[]> = {}
  for (const value of values) {
    const { type, session_id, output_id, chunk } = value
    const session = String(session_id)
    if (type === 'aaep:agent.output.streaming') {
      const output = `${session} ${output_id}`
      const before = texts[output] ?? ''
      // A client that joins a running session begins in the middle of a text.
      starts[output] ??= Number(value['position'])
      const position = starts[output] + [...before].length
      if (value['position'] !== position)
        throw new Error(`text at ${value['position']} instead of ${position} in ${output}`)
      texts[output] = `${before}${chunk}`
    } else if (toldTypes.has(type)) {
      events[session] ??= []
      events[session].push(`${type} ${value['reply_token'] ?? value['tool_call_id'] ?? ''}`)
    }
  }
  return { texts, events }
}

/** The complete texts and events of sessions, read page by page as AAEP, without any terms. */
export async function readTold(url: string, sessions: readonly string[]): Promise<Told> {
  const values: JsonObject[] = []
  for (const session of sessions) {
    for (let after = '-1', isEnd = false; !isEnd; ) {
      const response = await fetch(
        `${url}/v1/sessions/${session}/events?dialect=aaep&after=${after}&limit=1000`,
      )
      const page = (await response.json()) as {
        readonly frames: readonly { readonly frame: JsonObject }[]
        readonly cursor: string
        readonly end: boolean
      } // a page, see docs/http-api.md
      values.push(...page.frames.map(({ frame }) => frame))
      isEnd = page.end || page.frames.length === 0
      after = page.cursor
    }
  }
  return toTold(values)
}
