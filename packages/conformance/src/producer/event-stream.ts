import { createSseDecoder, omitUndefined } from '@sluice/protocol'
import { authorize } from './http-request.ts'
import type { Recorder } from './recorder.ts'
import type { ConnectOptions } from './subscription.ts'

export interface EventStream {
  /** The status of the answer; 0 when there was none. */
  readonly status: number
  abort(): void
}

/** Opens an event stream and records it until it is aborted or ends. */
export async function openEventStream(
  url: string,
  { clock, ...options }: ConnectOptions,
  { recorder, after }: { readonly recorder: Recorder; readonly after?: string | undefined },
): Promise<EventStream> {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  const headers = {
    accept: 'text/event-stream',
    ...authorize(options),
    ...omitUndefined({ 'last-event-id': after }),
  }
  const timer = clock.after(options.answerMs, abort)
  const response = await fetch(url, { headers, signal: controller.signal }).catch(() => undefined)
  timer.clear()
  if (response === undefined) return { status: 0, abort }
  const { status, body } = response
  if (status !== 200 || body === null) {
    abort()
    return { status, abort }
  }
  void record(body, recorder).then(
    () => controller.signal.aborted || recorder.push({ kind: 'ended', atMs: clock.monotonic() }),
    () => controller.signal.aborted || recorder.push({ kind: 'ended', atMs: clock.monotonic() }),
  )
  return { status, abort }

  async function record(stream: NonNullable<Response['body']>, into: Recorder): Promise<void> {
    const decoder = createSseDecoder()
    for await (const chunk of stream) {
      for (const result of decoder.push(chunk)) {
        if (controller.signal.aborted) return
        if (!result.ok)
          into.push({
            kind: 'garbage',
            atMs: clock.monotonic(),
            detail: `A frame is broken: ${result.code}.`,
          })
        else
          into.take(result.data, {
            ...omitUndefined({ event: result.event, id: result.id }),
          })
      }
    }
  }
}
