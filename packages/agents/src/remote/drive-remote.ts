import {
  type Dialect,
  type FramedText,
  type FramingFault,
  omitUndefined,
  type RunCompletion,
  type RunHost,
  SluiceError,
  toOneLine,
} from '@sluice/protocol'
import { createMalformedNotices } from '../cli/malformed.ts'
import { createPatience } from '../cli/patience.ts'
import type { CliTimings } from '../cli/timings.ts'
import { createFrameWatch } from '../frames/frame-watch.ts'
import { ownFailure } from '../frames/own-failure.ts'
import { type Driven, type RunSink, runFailed } from '../run/create-run.ts'
import { framesDecoderFor } from './frames-decoder.ts'
import type { RemoteStream } from './remote-fetch.ts'

export interface RemoteDrive {
  readonly kind: string
  readonly dialect: Dialect
  /** Sends the request, and resolves to the stream of frames. */
  open(signal: AbortSignal): Promise<RemoteStream>
  readonly timeoutMs: number | undefined
  readonly timings: CliTimings
  readonly host: RunHost
}

/** Follows a remote run until its stream ends or is abandoned. */
export function driveRemote(drive: RemoteDrive, sink: RunSink): Driven {
  const { kind, dialect, timings } = drive
  const { clock } = drive.host
  const watch = createFrameWatch(dialect, clock)
  const malformed = createMalformedNotices()
  const leaving = new AbortController()
  const { signal } = leaving
  let failure: string | undefined
  let giveUp = (): void => {}
  signal.addEventListener('abort', () => giveUp())

  const fail = (message: string): SluiceError => {
    failure ??= `${kind} backend error: ${message}`
    leaving.abort()
    return runFailed(failure)
  }

  const patience = createPatience(clock, timings, {
    isExcused: () => watch.hasQuestion,
    onIdle: () => void fail('idle timeout'),
    onUndrained() {},
  })
  const limit =
    drive.timeoutMs === undefined ? undefined : clock.after(drive.timeoutMs, () => void fail('timeout'))

  /** Waits for something from the remote side, which may never arrive. */
  const next = async <T>(coming: Promise<T>, toMessage: (error: unknown) => string): Promise<T> => {
    patience.wait()
    try {
      return await new Promise<T>((resolve, reject) => {
        giveUp = () => reject(runFailed(failure ?? `${kind} backend error: cancelled`))
        if (signal.aborted) giveUp()
        coming.then(resolve, (error: unknown) => reject(fail(toMessage(error))))
      })
    } finally {
      patience.rest()
    }
  }

  const takeFrame = async (frame: FramedText | FramingFault): Promise<void> => {
    const verdict = frame.ok ? watch.take(frame.text) : 'malformed'
    if (verdict === 'late') return
    if (verdict === 'frame' && frame.ok)
      return sink.emit({ type: 'frame', dialect: dialect.id, text: toOneLine(frame.text) })
    const events = malformed.tell(frame.ok ? Buffer.byteLength(frame.text) : frame.bytes)
    if (events.length > 0) await sink.emit({ type: 'events', events })
  }

  const read = async ({ status, contentType, body }: RemoteStream): Promise<void> => {
    if (status < 200 || status > 299) throw fail(`http status ${status}`)
    const frames = framesDecoderFor(contentType)
    if (frames === undefined) throw fail('unsupported content type')
    const chunks = body[Symbol.asyncIterator]()
    while (watch.outcome === undefined) {
      const chunk = await next(chunks.next(), () => 'connection lost')
      for (const frame of chunk.done === true ? frames.end() : frames.push(chunk.value))
        await takeFrame(frame)
      if (chunk.done === true) break
    }
  }

  const run = async (): Promise<RunCompletion> => {
    try {
      const stream = drive.open(signal).then((opened) => {
        // After an abort, nothing else would close this connection.
        if (signal.aborted) opened.close()
        else signal.addEventListener('abort', () => opened.close())
        return opened
      })
      await read(await next(stream, toOpenFailure))
    } finally {
      patience.stop()
      limit?.clear()
      leaving.abort()
    }
    const { outcome, handle } = watch
    if (outcome !== undefined && outcome !== 'completed') throw runFailed(ownFailure(kind, outcome))
    if (outcome === undefined && dialect.supports.terminal)
      throw runFailed(`${kind} backend error: ended without a result`)
    return omitUndefined({ status: { code: 0, signal: null }, handle })
  }

  return {
    finished: run(),
    end: () => leaving.abort(),
    answer({ token }) {
      if (watch.answered(token)) patience.renew()
    },
  }
}

function toOpenFailure(error: unknown): string {
  if (!(error instanceof SluiceError)) return 'unreachable'
  if (error.code === 'fetch_refused') return 'address refused'
  return error.code === 'bad_config' ? 'credential unreadable' : 'unreachable'
}
