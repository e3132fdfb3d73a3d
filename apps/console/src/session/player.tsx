import { useEffect, useRef, useState } from 'react'
import type { OutlineStore } from '../outline/outline-store.ts'
import { useOutline } from '../outline/use-outline.ts'
import { Choice } from '../settings/choice.tsx'
import { advance } from './advance.ts'

interface PlayerProps {
  readonly outline: OutlineStore
  readonly at: number
  readonly head: number
  onGo(seq: number): void
  onEnd(): void
}

const stepMs = 100
const speeds = [
  ['1', '1 ×'],
  ['4', '4 ×'],
  ['16', '16 ×'],
] as const

/** Plays a session from an entry on, in its own time; long pauses are cut short. */
export function Player({ outline, at, head, onGo, onEnd }: PlayerProps) {
  const { columns } = useOutline(outline)
  const [speed, setSpeed] = useState<(typeof speeds)[number][0]>('1')
  const place = useRef({ seq: at, spentMs: 0 })
  const act = useRef({ onGo, onEnd })
  useEffect(() => {
    act.current = { onGo, onEnd }
    // Somebody moved the slider.
    if (Math.abs(place.current.seq - at) > 0) place.current = { seq: at, spentMs: 0 }
  })
  useEffect(() => {
    const timer = setInterval(() => {
      const before = place.current
      place.current = advance(columns.at, Math.min(head, columns.count - 1), before, stepMs * Number(speed))
      if (place.current.seq >= head) act.current.onEnd()
      if (place.current.seq !== before.seq) act.current.onGo(place.current.seq)
    }, stepMs)
    return () => clearInterval(timer)
  }, [columns, head, speed])
  return <Choice label="Speed" value={speed} options={speeds} onChange={(chosen) => setSpeed(chosen)} />
}
