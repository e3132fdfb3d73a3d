import type { RunOutput, SluiceEvent } from '@sluice/protocol'
import type { PendingBytes } from '../../kernel/sessions/pending-bytes.ts'

export interface StoreOutputsParts {
  readonly pending: PendingBytes
  /** Stores one output. Outputs are stored in the order of the calls. */
  store(output: RunOutput): Promise<void>
  /** Called for each output that could not be stored. */
  onFailure(error: unknown): void
  /** Once it aborts, nothing else is stored. */
  readonly stopped: AbortSignal
}

/** How much of one run may be on its way to the log before more of it is read. */
const maxInFlight = 64
const maxBytesInFlight = 1024 * 1024
/** The most events that are held back; they are small. */
const maxHeld = 64

/**
 * Stores the outputs of a run until it ends. Returns the events held back: the end of the last text belongs
 * to the end of the session, and is stored with it.
 */
export async function storeOutputs(
  outputs: AsyncIterable<RunOutput>,
  { pending, store, onFailure, stopped }: StoreOutputsParts,
): Promise<readonly SluiceEvent[]> {
  let held: SluiceEvent[] = []
  let count = 0
  let bytes = 0
  let wake: () => void = () => {}
  const moved = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve
    })

  const send = async (output: RunOutput): Promise<void> => {
    const size = sizeOf(output)
    const release = await pending.wait(size, stopped).catch(() => undefined)
    // The run was stopped, so nothing else needs to be stored.
    if (release === undefined) return
    count += 1
    bytes += size
    store(output)
      .catch(onFailure)
      .finally(() => {
        count -= 1
        bytes -= size
        release()
        wake()
      })
    while (count >= maxInFlight || bytes > maxBytesInFlight) await moved()
  }

  for await (const output of outputs) {
    if (stopped.aborted) break
    if (output.type === 'events' && output.events.every(isOfEnd) && held.length < maxHeld) {
      held.push(...output.events)
      continue
    }
    if (held.length > 0) await send({ type: 'events', events: held })
    held = []
    await send(output)
  }
  while (count > 0) await moved()
  return held
}

function isOfEnd({ kind }: SluiceEvent): boolean {
  return kind === 'text-end' || kind === 'usage'
}

/** Roughly its size in the log. Most outputs are small pieces of text, whose size is known. */
function sizeOf(output: RunOutput): number {
  if (output.type === 'frame') return output.text.length
  return output.events.reduce(
    (size, event) => size + (event.kind === 'text-delta' ? event.text.length : JSON.stringify(event).length),
    0,
  )
}
