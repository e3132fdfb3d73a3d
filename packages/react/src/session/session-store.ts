import type { Client, ConnectionState, SluiceFrame } from '@sluice/client'
import {
  type Clock,
  foldEntry,
  fromSnapshot,
  parseCursor,
  type SessionState,
  type Snapshot,
} from '@sluice/protocol'
import { toSluiceError } from '../to-sluice-error.ts'
import { createPace } from './pace.ts'
import { isRetryable, retryWaitMs, waitFor } from './retry.ts'
import { createSessionView, type SessionConnection, type SessionView, showState } from './session-view.ts'

export interface SessionStoreOptions {
  readonly client: Client
  readonly id: string
  readonly clock: Clock
  /** The view changes at most once in so many ms, however many events come. */
  readonly paceMs: number
  /** So long after the last listener left the connection is kept. */
  readonly lingerMs: number
}

/** Entries of a session as they come, with the time at which they came, in ms since 1970. */
export type EntryListener = (entries: readonly SluiceFrame[], receivedAt: number) => void

/** One session, followed while somebody listens; what React calls an external store. */
export interface SessionStore {
  subscribe(listener: () => void): () => void
  /** The same object until something changed. */
  getSnapshot(): SessionView
  /** What comes behind the snapshot that the view began with. Listening here alone does not connect. */
  onEntries(listener: EntryListener): () => void
  /** After a failure: begins again. */
  retry(): void
  /** Whether somebody listens. */
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
    const loaded = fromSnapshot(snapshot as unknown as Snapshot) // the gateway's contract, docs/protocol.md
    state = loaded
    head = Math.max(head, loaded.seq)
    findings = session.findings
    const blank = createSessionView(id)
    publish(show({ ...blank, phase: 'ready', resource: session, connection: view.connection }, loaded))
    if (view.questions.some(({ closed }) => closed === undefined)) void loadTimes(signal)
    return cursor
  }

  /** A snapshot does not tell when a question was asked. What is shown does not wait for it. */
  async function loadTimes(signal: AbortSignal): Promise<void> {
    try {
      for (const { token, openedAt: at } of await client.questions(id, { signal })) openedAt.set(token, at)
      if (state !== undefined && !signal.aborted) publish(show(view, state))
    } catch {
      // Without it the time that is left is not shown.
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

  /** Reads until the end of the session. A gap voids what was shown: then it is read anew. */
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

  /** The client goes on by itself once it follows a session; before that, loading is tried again here. */
  async function run(signal: AbortSignal): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        await read(signal)
        pace.flush()
        setConnection({
          ...view.connection,
          status: 'ended',
          behind: 0,
          untilMs: undefined,
          error: undefined,
        })
        return
      } catch (thrown) {
        if (signal.aborted) return
        const error = toSluiceError(thrown)
        if (!isRetryable(error)) {
          publish({ ...view, phase: 'failed', error })
          return
        }
        const waitMs = retryWaitMs(tries)
        setConnection({ ...view.connection, status: 'waiting', untilMs: clock.now() + waitMs, error })
        await waitFor(clock, waitMs, signal)
        if (signal.aborted) return
      }
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
      // React may subscribe the same function twice over two components: each has a place of its own.
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
