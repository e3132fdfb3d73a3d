import { readFile } from 'node:fs/promises'
import { type Clock, isJsonObject, type JsonObject, SluiceError } from '@sluice/protocol'

export interface DemoAgentParts {
  readonly clock: Clock
  /** Sends one AAEP event to the gateway. */
  publish(session: string, event: JsonObject): Promise<void>
  /** A session stopped playing. */
  onProblem(error: unknown): void
}

/** An agent that plays a recording, whatever it is asked for. */
export interface DemoAgent {
  /** Begins a session with this request and answers its id once it is there. Rejects with `rate_limited`. */
  start(request: string): Promise<string>
  /** Every session stops where it is. */
  stop(): void
}

const longestPauseMs = 5000
const maxPlaying = 16

/** The events of a recording: AAEP, one a line. Throws `unreadable_input`. */
export async function readDemo(path: string): Promise<readonly JsonObject[]> {
  try {
    const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '')
    const events = lines.map((line): unknown => JSON.parse(line)).filter(isJsonObject)
    if (events.length > 0) return events
  } catch (cause) {
    throw new SluiceError('unreadable_input', { message: `${path} cannot be played.`, cause })
  }
  throw new SluiceError('unreadable_input', { message: `${path} has no events.` })
}

/** Every session has the rhythm in which it was recorded, and an id of its own that begins as the recorded one. */
export function createDemoAgent(events: readonly JsonObject[], parts: DemoAgentParts): DemoAgent {
  const { clock } = parts
  const stopping = new AbortController()
  let playing = 0
  let count = 0

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = clock.after(ms, () => {
        stopping.signal.removeEventListener('abort', stop)
        resolve()
      })
      const stop = (): void => {
        timer.clear()
        resolve()
      }
      stopping.signal.addEventListener('abort', stop, { once: true })
    })

  const toPlayed = (event: JsonObject, session: string, request: string): JsonObject => ({
    ...event,
    session_id: session,
    timestamp: new Date(clock.now()).toISOString(),
    ...(event['request_text'] === undefined ? {} : { request_text: request }),
  })

  const playRest = async (session: string, request: string): Promise<void> => {
    let before = timeOf(events[0])
    for (const event of events.slice(1)) {
      const at = timeOf(event)
      await pause(Math.max(0, Math.min(at - before, longestPauseMs)))
      if (stopping.signal.aborted) return
      before = at
      await parts.publish(session, toPlayed(event, session, request))
    }
  }

  return {
    async start(request) {
      const [first] = events
      if (first === undefined) throw new SluiceError('no_agent')
      if (playing >= maxPlaying)
        throw new SluiceError('rate_limited', { message: 'The agent plays as many sessions as it can.' })
      playing += 1
      count += 1
      const session = `${String(first['session_id'])}${clock.now().toString(36)}x${count.toString(36)}`
      try {
        await parts.publish(session, toPlayed(first, session, request))
      } catch (error) {
        playing -= 1
        throw error
      }
      playRest(session, request)
        .catch(parts.onProblem)
        .finally(() => {
          playing -= 1
        })
      return session
    },
    stop: () => stopping.abort(),
  }
}

function timeOf(event: JsonObject | undefined): number {
  return Date.parse(String(event?.['timestamp']))
}
