import type { Answer } from '@sluice/client'
import { omitUndefined } from '@sluice/protocol'
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import type { EntryListener } from './session/session-store.ts'
import type { SessionView } from './session/session-view.ts'
import { useStores } from './sluice-provider.tsx'

export interface UseSessionOptions<T> {
  /** Selects the needed part of the session: a component renders again only when that part has changed. */
  readonly select: (view: SessionView) => T
  /** Whether two selections are the same. Default: by identity. */
  readonly isEqual?: (before: T, after: T) => boolean
}

/** What can be done to a session. Failures reject with a SluiceError. */
export interface SessionActions {
  /** The first valid answer counts; `counted` says whether it was this one. */
  answer(answer: Answer): Promise<{ readonly counted: boolean }>
  cancel(reason?: string): Promise<void>
  /** Sends a message to the agent. */
  send(text: string): Promise<void>
  /** Starts again after a failure. */
  retry(): void
}

/**
 * The current session: state, text, questions and connection. It is followed, across reconnections, while a
 * component that shows it is mounted. However many events arrive, it changes only a few times per second.
 */
export function useSession(id: string): SessionView & SessionActions
export function useSession<T>(id: string, options: UseSessionOptions<T>): T
export function useSession<T>(
  id: string,
  options?: UseSessionOptions<T>,
): (SessionView & SessionActions) | T {
  const stores = useStores()
  const store = useMemo(() => stores.of(id), [stores, id])
  const actions = useSessionActions(id)
  const whole = useCallback((view: SessionView) => ({ ...view, ...actions }), [actions])
  const select: (view: SessionView) => (SessionView & SessionActions) | T = options?.select ?? whole
  const isEqual = options?.isEqual as ((before: unknown, after: unknown) => boolean) | undefined // of this T
  const last = useRef<{ readonly view: SessionView; readonly select: unknown; readonly value: unknown }>(
    undefined,
  )

  const getSelection = (): (SessionView & SessionActions) | T => {
    const view = store.getSnapshot()
    const known = last.current
    // The value that was kept is one that `select` gave.
    if (known !== undefined && known.view === view && known.select === select) return known.value as T
    const value = select(view)
    const isSame =
      known !== undefined && (Object.is(known.value, value) || isEqual?.(known.value, value) === true)
    last.current = { view, select, value: isSame ? known.value : value }
    return last.current.value as T
  }
  return useSyncExternalStore(store.subscribe, getSelection, getSelection)
}

/** The actions on a session, without following it. The same object while the id stays the same. */
export function useSessionActions(id: string): SessionActions {
  const stores = useStores()
  return useMemo(() => {
    const { client } = stores
    return {
      answer: (answer) => client.answer(id, answer),
      async cancel(reason) {
        await client.cancel(id, omitUndefined({ reason }))
      },
      async send(text) {
        await client.message(id, { text })
      },
      retry: () => stores.of(id).retry(),
    }
  }, [stores, id])
}

/**
 * Receives the entries of a session in batches, a few times per second. Something else must show the session.
 */
export function useSessionEntries(id: string, listener: EntryListener): void {
  const stores = useStores()
  const current = useRef(listener)
  useEffect(() => {
    current.current = listener
  })
  useEffect(() => stores.of(id).onEntries((entries, at) => current.current(entries, at)), [stores, id])
}
