import type { Client, ConnectionState, SluiceFrame } from '@sluice/client'
import {
  type Clock,
  createBackoff,
  foldEntry,
  fromSnapshot,
  isRetryable,
  parseCursor,
  retry as retryLater,
  type SessionState,
  type Snapshot,
} from '@sluice/protocol'
import { toSluiceError } from '../to-sluice-error.ts'
import { createPace } from './pace.ts'
import { createSessionView, type SessionConnection, type SessionView, showState } from './session-view.ts'

export interface SessionStoreOptions {
  readonly client: Client
  readonly id: string
  readonly clock: Clock
  /** The view changes at most once per this time, however many events arrive. */
  readonly paceMs: number
  /** How long the connection is kept after the last listener leaves. */
  readonly lingerMs: number
}

/** Entries of a session as they arrive, with the time of arrival in ms since 1970. */
export type EntryListener = (entries: readonly SluiceFrame[], receivedAt: number) => void

/** One session, followed while it has listeners; what React calls an external store. */
export interface SessionStore {
  subscribe(listener: () => void): () => void
  /** The same object until something changes. */
  getSnapshot(): SessionView
  /** Entries after the snapshot with which the view started. This listener alone does not connect. */
  onEntries(listener: EntryListener): () => void
  /** Starts again after a failure. */
  retry(): void
  /** Whether it has listeners. */
  isFollowed(): boolean
}

export function createSessionStore(options: SessionStoreOptions): SessionStore {
  const { client, id, clock, paceMs, lingerMs } = options
  const listeners = new Set<() => void>()
  const entryListeners = new Set<EntryListener>()
  const openedAt = new Map<string, number>()
  let view = createSessionView(id)
  let state: SessionState | undefined
  let head = -1
  let findings = 0
  let fresh: SluiceFrame[] = []
  let running: AbortController | undefined
  let wasLive = false
  const pace = createPace(clock, paceMs, flush)

  function publish(next: SessionView): void {
    if (next === view) return
    view = next
    for (const listener of [...listeners]) listener()
  }

  function flush(): void {
    const entries = fresh
    fresh = []
    if (entries.length > 0) for (const listener of [...entryListeners]) listener(entries, clock.now())
    if (state === undefined) return
    const shown = state === view.state ? view : show(view, state)
    publish(withBehind(shown, Math.max(0, head - state.seq)))
  }

  function connectionChanged(next: ConnectionState): void {
    if (next.status === 'closed') return
    if (next.status === 'catching-up' && next.head !== undefined) head = parseCursor(next.head).seq
    const { connection } = view
    const isBack = next.status === 'live' && wasLive && connection.status !== 'live'
    if (next.status === 'live') wasLive = true
    setConnection({
      status: next.status,
      behind: next.status === 'catching-up' ? Math.max(0, head - (state?.seq ?? -1)) : 0,
      reconnects: connection.reconnects + (isBack ? 1 : 0),
      untilMs: next.status === 'waiting' ? next.untilMs : undefined,
      error: next.status === 'waiting' ? next.error : undefined,
    })
  }

  function setConnection(connection: SessionConnection): void {
    pace.flush()
    publish({ ...view, connection })
  }

  async function load(signal: AbortSignal): Promise<string> {
    const { session, cursor, snapshot } = await client.snapshot(id, { signal })
    const loaded = fromSnapshot(snapshot as unknown as Snapshot) // see docs/protocol.md
    state = loaded
    head = Math.max(head, loaded.seq)
    findings = session.findings
    const blank = createSessionView(id)
    publish(show({ ...blank, phase: 'ready', resource: session, connection: view.connection }, loaded))
    if (view.questions.some(({ closed }) => closed === undefined)) void loadTimes(signal)
    return cursor
  }

  /** A snapshot does not say when a question was asked. The view does not wait for it. */
  async function loadTimes(signal: AbortSignal): Promise<void> {
    try {
      for (const { token, openedAt: at } of await client.questions(id, { signal })) openedAt.set(token, at)
      if (state !== undefined && !signal.aborted) publish(show(view, state))
    } catch {
      // Without it the view does not show the time left.
    }
  }

  function show(before: SessionView, next: SessionState): SessionView {
    const shown = showState(before, next, (token) => openedAt.get(token))
    const { resource } = shown
    return resource === undefined ? shown : { ...shown, resource: { ...resource, findings } }
  }

  function take(frame: SluiceFrame): void {
    if (state === undefined) return
    for (const event of frame.events) if (event.kind === 'question-open') openedAt.set(event.token, frame.at)
    state = foldEntry(state, frame)
    findings += frame.diagnostics.length
    fresh.push(frame)
    pace.mark()
  }

  /** Reads until the end of the session. After a gap the view is no longer valid, so the session is loaded again. */
  async function read(signal: AbortSignal): Promise<void> {
    for (;;) {
      const after = await load(signal)
      let isVoid = false
      for await (const item of client.subscribe(id, { after, signal, onConnection: connectionChanged })) {
        if (item.type === 'frame') take(item.frame)
        if (item.type === 'end') return
        isVoid = item.type === 'gap'
        if (isVoid) break
      }
      if (!isVoid) return
    }
  }

  /** The client reconnects by itself once it follows a session; before that, loading is retried here. */
  async function run(signal: AbortSignal): Promise<void> {
    try {
      await retryLater(() => read(signal), {
        clock,
        signal,
        backoff: createBackoff({ baseMs: 500, maxMs: 15_000 }),
        isPassing: (thrown) => isRetryable(toSluiceError(thrown)),
        onFailure: (thrown, { waitMs }) =>
          setConnection({
            ...view.connection,
            status: 'waiting',
            untilMs: clock.now() + waitMs,
            error: toSluiceError(thrown),
          }),
      })
      pace.flush()
      setConnection({ ...view.connection, status: 'ended', behind: 0, untilMs: undefined, error: undefined })
    } catch (thrown) {
      if (!signal.aborted) publish({ ...view, phase: 'failed', error: toSluiceError(thrown) })
    }
  }

  function start(): void {
    if (running !== undefined) return
    running = new AbortController()
    void run(running.signal)
  }

  function stop(): void {
    running?.abort()
    running = undefined
    pace.stop()
    fresh = []
  }

  return {
    getSnapshot: () => view,
    isFollowed: () => listeners.size > 0,
    subscribe(listener) {
      // Two components may subscribe the same function: each subscription counts.
      const own = (): void => listener()
      listeners.add(own)
      start()
      return () => {
        if (!listeners.delete(own) || listeners.size > 0) return
        clock.after(lingerMs, () => {
          if (listeners.size === 0) stop()
        })
      }
    },
    onEntries(listener) {
      const own: EntryListener = (entries, at) => listener(entries, at)
      entryListeners.add(own)
      return () => entryListeners.delete(own)
    },
    retry() {
      stop()
      view = createSessionView(id)
      if (listeners.size > 0) start()
      for (const listener of [...listeners]) listener()
    },
  }
}

function withBehind(view: SessionView, behind: number): SessionView {
  const isBehind = view.connection.status === 'catching-up' ? behind : 0
  return view.connection.behind === isBehind
    ? view
    : { ...view, connection: { ...view.connection, behind: isBehind } }
}
