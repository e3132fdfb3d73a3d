import { useEffect, useRef } from 'react'
import type { OutlineStore } from '../outline/outline-store.ts'
import { useOutline } from '../outline/use-outline.ts'
import { advance } from './advance.ts'

interface ReplayProps {
  readonly outline: OutlineStore
  readonly at: number
  readonly head: number
  /** How many times as fast as the original. */
  readonly speed: number
  onGo(seq: number): void
  onEnd(): void
}

const stepMs = 100

/** While mounted, plays a session from an entry on at its own pace, with long pauses cut. Renders nothing. */
export function Replay({ outline, at, head, speed, onGo, onEnd }: ReplayProps) {
  const { columns } = useOutline(outline)
  const place = useRef({ seq: at, spentMs: 0 })
  const act = useRef({ onGo, onEnd })
  useEffect(() => {
    act.current = { onGo, onEnd }
    // Somebody moved the slider.
    if (place.current.seq !== at) place.current = { seq: at, spentMs: 0 }
  })
  useEffect(() => {
    const timer = setInterval(() => {
      const before = place.current
      const entries = { at: columns.at, last: Math.min(head, columns.count - 1) }
      place.current = advance(entries, before, stepMs * speed)
      if (place.current.seq >= head) act.current.onEnd()
      if (place.current.seq !== before.seq) act.current.onGo(place.current.seq)
    }, stepMs)
    return () => clearInterval(timer)
  }, [columns, head, speed])
  return null
}
