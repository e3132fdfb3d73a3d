import { useSessionEntries } from '@sluice/react'
import { useMemo, useRef } from 'react'
import type { LagSample } from '../outline/outline-columns.ts'

const maxSamples = 2000

/** How late live entries arrived. The list grows in place and is read when something else changes. */
export function useLagSamples(id: string, { isLive }: { readonly isLive: boolean }): readonly LagSample[] {
  const samples = useMemo<LagSample[]>(() => [], [])
  const live = useRef(isLive)
  live.current = isLive
  useSessionEntries(id, (entries, receivedAt) => {
    if (!live.current) return
    for (const { seq, at } of entries) samples.push({ seq, at, lagMs: Math.max(0, receivedAt - at) })
    if (samples.length > maxSamples) samples.splice(0, samples.length - maxSamples)
  })
  return samples
}
