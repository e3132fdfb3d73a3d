import type { Client, SluiceFrame } from '@sluice/client'
import { foldEntry, fromSnapshot, type SessionState, SluiceError, type Snapshot } from '@sluice/protocol'
import { createSessionView, type SessionView, showState } from '../session/session-view.ts'
import { toSluiceError } from '../to-sluice-error.ts'

/** A past state of a session. */
export interface PastView {
  /** The requested entry. */
  readonly wanted: number | undefined
  /** The session after its entry `view.state.seq`, which follows `wanted` as fast as it can. */
  readonly view: SessionView | undefined
  readonly error: SluiceError | undefined
}

/** Moves through the past of a session; what React calls an external store. */
export interface SessionPast {
  subscribe(listener: () => void): () => void
  getSnapshot(): PastView
  /** Goes to the state after this entry. During a move, only the last requested entry counts. */
  goTo(seq: number | undefined): void
}

/** A step of at most this many entries is folded from the current state; a longer one loads a snapshot. */
const foldedSteps = 500

export function createSessionPast(client: Client, id: string): SessionPast {
  const listeners = new Set<() => void>()
  let past: PastView = { wanted: undefined, view: undefined, error: undefined }
  let state: SessionState | undefined
  /** Entries after `state` that were already read. */
  let ahead: readonly SluiceFrame[] = []
  let isMoving = false

  function publish(changes: Partial<PastView>): void {
    past = { ...past, ...changes }
    for (const listener of [...listeners]) listener()
  }

  async function jump(target: number): Promise<void> {
    const { session, snapshot } = await client.snapshot(id, { at: target })
    state = fromSnapshot(snapshot as unknown as Snapshot) // see docs/protocol.md
    ahead = []
    show({ ...createSessionView(id), phase: 'ready', resource: { ...session, seq: target } }, state)
  }

  async function walk(from: SessionState, target: number): Promise<void> {
    if ((ahead.at(-1)?.seq ?? from.seq) < target) {
      const { frames } = await client.read(id, { after: String(from.seq), limit: foldedSteps })
      ahead = frames.map(({ frame }) => frame)
    }
    let next = from
    for (const frame of ahead) if (frame.seq > next.seq && frame.seq <= target) next = foldEntry(next, frame)
    // A session that was deleted meanwhile has no further entries.
    if (next === from) throw new SluiceError('unknown_entry')
    ahead = ahead.filter(({ seq }) => seq > next.seq)
    state = next
    show(past.view ?? createSessionView(id), next)
  }

  function show(before: SessionView, next: SessionState): void {
    publish({ view: showState(before, next, () => undefined), error: undefined })
  }

  async function move(): Promise<void> {
    if (isMoving) return
    isMoving = true
    try {
      for (;;) {
        const { wanted } = past
        if (wanted === undefined || wanted === state?.seq) break
        const isNear = state !== undefined && wanted > state.seq && wanted - state.seq <= foldedSteps
        if (isNear && state !== undefined) await walk(state, wanted)
        else await jump(wanted)
      }
    } catch (error) {
      const known = toSluiceError(error)
      publish({ error: known })
    } finally {
      isMoving = false
    }
  }

  return {
    subscribe(listener) {
      const own = (): void => listener()
      listeners.add(own)
      return () => listeners.delete(own)
    },
    getSnapshot: () => past,
    goTo(seq) {
      if (seq === past.wanted && past.error === undefined) return
      publish({ wanted: seq, error: undefined })
      void move()
    },
  }
}
