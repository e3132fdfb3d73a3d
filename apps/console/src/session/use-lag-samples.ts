import { useSessionEntries } from '@sluice/react'
import { useMemo, useRef } from 'react'
import type { LagSample } from '../outline/outline-columns.ts'

const maxSamples = 2000

/** How late the entries came that came live. The list grows in place; it is read when something else changed. */
export function useLagSamples(id: string, isLive: boolean): readonly LagSample[] {
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
