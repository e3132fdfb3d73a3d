import type { SluiceError } from '@sluice/protocol'
import { toSluiceError, useClient } from '@sluice/react'
import { useEffect, useState } from 'react'
import { type SearchProgress, searchEntries } from './search-entries.ts'

/** Searches a session for a text; undefined while there is none. */
export function useEntrySearch(
  session: string,
  text: string,
): { readonly progress: SearchProgress | undefined; readonly error: SluiceError | undefined } {
  const client = useClient()
  const [state, setState] = useState<{
    readonly text: string
    readonly progress?: SearchProgress
    readonly error?: SluiceError
  }>({ text: '' })
  useEffect(() => {
    if (text === '') return
    const left = new AbortController()
    const run = async (): Promise<void> => {
      try {
        for await (const progress of searchEntries(client, { session, text }, left.signal)) {
          if (left.signal.aborted) return
          setState({ text, progress })
        }
      } catch (thrown) {
        if (left.signal.aborted) return
        setState({
          text,
          error: toSluiceError(thrown),
        })
      }
    }
    void run()
    return () => left.abort()
  }, [client, session, text])
  if (text === '') return { progress: undefined, error: undefined }
  const nothing = { found: [], looked: 0, isDone: false }
  return state.text === text
    ? { progress: state.progress ?? nothing, error: state.error }
    : { progress: nothing, error: undefined }
}
