import type { Outcome } from '@sluice/protocol'
import type { ConnectionListener } from './connection-state.ts'
import { createPlace, type Place } from './place.ts'
import { type Attempt, type StayConnectedOptions, stayConnected } from './stay-connected.ts'
import type { Signal, Transport } from './transport.ts'

/** What a subscription yields. */
export type SubscriptionItem<Frame> =
  /** Reading on from `cursor` yields the frame after this one. */
  | {
      readonly type: 'frame'
      readonly cursor: string
      readonly frame: Frame
      /** The frame's JSON as the gateway wrote it; absent over a WebSocket. */
      readonly text?: string
    }
  /** The cursor is unknown. The session follows from `oldest` on, and everything shown before is void. */
  | { readonly type: 'gap'; readonly requested: string; readonly oldest: string; readonly head: string }
  /** The session has ended, and this was all of it. Nothing follows. */
  | { readonly type: 'end'; readonly outcome: Outcome; readonly cursor: string }

export interface FollowOptions extends Omit<StayConnectedOptions, 'onConnection'> {
  readonly session: string
  readonly resource: 'events' | 'inputs'
  readonly dialect: string | undefined
  readonly coalesce: string | undefined
  /** A cursor, or `now`. */
  readonly after: string
  /** Resolves `now` to a cursor, once: the cursor must not move before the first frame. */
  readonly readHead: (signal: AbortSignal) => Promise<string>
  readonly transport: Transport
  readonly onConnection: ConnectionListener | undefined
}

/**
 * Reads a session to its end over as many connections as it takes. Yields every frame once and in order: each
 * connection starts where the last one stopped, and a frame at or before the last cursor is skipped.
 */
export async function* followSession<Frame>(
  options: FollowOptions,
): AsyncGenerator<readonly SubscriptionItem<Frame>[], void> {
  const { session, resource, dialect, coalesce, transport } = options
  let known = options.after === 'now' ? undefined : createPlace(options.after)

  async function* connect(attempt: Attempt): AsyncGenerator<readonly SubscriptionItem<Frame>[], void> {
    known ??= createPlace(await options.readHead(attempt.signal))
    const place = known
    const request = { session, resource, dialect, coalesce, after: place.after }
    for await (const signals of transport(request, attempt)) {
      const items = signals.flatMap((signal) => toItems<Frame>(signal, place))
      if (place.isCaughtUp()) attempt.caughtUp()
      if (items.length > 0) yield items
      if (items.at(-1)?.type === 'end') return
    }
  }

  yield* stayConnected(connect, options)
}

function toItems<Frame>(signal: Signal, place: Place): readonly SubscriptionItem<Frame>[] {
  switch (signal.type) {
    case 'begun':
      place.begun(signal.head)
      return []
    case 'frame':
      // The gateway encodes what the caller named as the dialect, so the frame is one of its frames.
      return place.takes(signal.cursor) ? [{ ...signal, frame: signal.frame as Frame }] : []
    case 'moved':
      place.moved(signal.cursor)
      return []
    case 'gap':
      place.restarted(signal.oldest)
      return [signal]
    case 'end':
      return [{ ...signal, cursor: signal.cursor ?? place.after() }]
  }
}
