import type { GatewayLives } from './gateway-lives.ts'

/** A producer that numbers its events and never resends one that was stored. */
export interface NumberedProducer {
  readonly name: string
  readonly session: string
  /** Events that the gateway acknowledged as durable. */
  readonly acknowledged: number
  /** Events that are stored as far as the producer knows: acknowledged, or reported when it asked. */
  readonly stored: number
  /** Whether a request is under way. */
  readonly isWaiting: boolean
  /** Requests that got no answer. */
  readonly unanswered: number
  /** Stops after the request that is under way; resolves when that is settled. */
  stop(): Promise<void>
}

/** The text of event `n` of a producer; `readMark` finds it in any dialect. */
function toEvent(name: string, n: number): string {
  return JSON.stringify({ type: 'log', data: { message: `<${name}/${n}>` } })
}

/** The producer and the number in a frame; undefined for the start and the end of the session. */
export function readMark(text: string): { readonly name: string; readonly n: number } | undefined {
  const [, name, n] = /<(p\d+)\/(\d+)>/.exec(text) ?? []
  return name === undefined ? undefined : { name, n: Number(n) }
}

interface Production {
  readonly session: string
  readonly name: string
  readonly batchSize: number
}

/**
 * Publishes batch after batch until it is stopped. When the gateway dies, it waits until it is back, asks how
 * many events are stored, and continues from there. `onLost` reports acknowledged events that are missing.
 */
export function startProducer(
  lives: GatewayLives,
  { session, name, batchSize }: Production,
  onLost: (what: string) => void,
): NumberedProducer {
  const state = { acknowledged: 0, stored: 0, isWaiting: false, unanswered: 0 }
  let isStopped = false

  const send = async (): Promise<void> => {
    const batch = Array.from({ length: batchSize }, (_, index) => toEvent(name, state.stored + index))
    // Independent lines, or an array that is stored as a whole or not at all.
    const isLines = batchSize % 2 === 1
    const response = await fetch(`${lives.url}/v1/sessions/${session}/events?dialect=stream-event`, {
      method: 'POST',
      headers: {
        'content-type': isLines ? 'application/x-ndjson' : 'application/json',
        'sluice-producer': `${name}; epoch=0; seq=${state.stored}`,
      },
      body: isLines ? `${batch.join('\n')}\n` : `[${batch.join(',')}]`,
    })
    const answer = (await response.json()) as { readonly accepted?: number } // see docs/http-api.md
    if (!response.ok || answer.accepted !== batchSize)
      onLost(`${name} was answered ${response.status} ${JSON.stringify(answer)}`)
    state.stored += batchSize
    state.acknowledged = state.stored
  }

  const ask = async (): Promise<void> => {
    await lives.alive()
    const response = await fetch(`${lives.url}/v1/sessions/${session}/producers/${name}`)
    const answer = (await response.json()) as { readonly seq?: number } // see docs/http-api.md
    state.stored = response.status === 404 ? 0 : (answer.seq ?? -1) + 1
    if (state.stored < state.acknowledged)
      onLost(`${name} has ${state.acknowledged} events acknowledged and ${state.stored} stored`)
  }

  const run = async (): Promise<void> => {
    while (!isStopped) {
      state.isWaiting = true
      try {
        await send()
      } catch {
        state.unanswered += 1
        // The gateway can die again before it answers this.
        while (!(await succeeds(ask())));
      }
      state.isWaiting = false
    }
  }
  const done = run()

  return {
    name,
    session,
    get acknowledged() {
      return state.acknowledged
    },
    get stored() {
      return state.stored
    },
    get isWaiting() {
      return state.isWaiting
    },
    get unanswered() {
      return state.unanswered
    },
    stop() {
      isStopped = true
      return done
    },
  }
}

async function succeeds(work: Promise<void>): Promise<boolean> {
  try {
    await work
    return true
  } catch {
    return false
  }
}
