import type { SluiceError } from '@sluice/protocol'
import { useId, useState } from 'react'
import { formatNumber } from '../format/format-number.ts'
import { formatOffset } from '../format/format-offset.ts'
import type { OutlineStore } from '../outline/outline-store.ts'
import { Trouble } from '../shell/trouble.tsx'
import { Replay } from './replay.tsx'

interface ScrubberProps {
  /** The last entry. */
  readonly head: number
  readonly startedAt: number
  /** The entry whose moment is shown; undefined means now. */
  readonly at: number | undefined
  /** The entry that is shown, and its time. */
  readonly reached: { readonly seq: number; readonly at: number } | undefined
  readonly outline: OutlineStore
  readonly error: SluiceError | undefined
  onGo(seq: number | undefined): void
}

const speeds = [1, 4, 16] as const

/** Shows the session at any moment: a slider over its entries, and a replay. */
export function Scrubber({ head, startedAt, at, reached, outline, error, onGo }: ScrubberProps) {
  const id = useId()
  const [isPlaying, setPlaying] = useState(false)
  const [speed, setSpeed] = useState<number>(1)
  if (head < 0) return null
  const place = at ?? head
  const told =
    at === undefined
      ? `Now, entry ${formatNumber(head)}`
      : `As it was after entry ${formatNumber(at)} of ${formatNumber(head)}`
  const go = (seq: number): void => onGo(seq >= head ? undefined : Math.max(0, seq))

  return (
    <section className="scrubber" aria-label="Look back" data-past={at !== undefined}>
      <label htmlFor={`${id}-slider`} className="scrubber-label">
        {told}
        {at !== undefined && reached !== undefined && reached.seq !== at && (
          <span className="note"> loading…</span>
        )}
      </label>
      <div className="scrubber-row">
        <button
          type="button"
          className="button button-small"
          onClick={() => {
            if (!isPlaying && at === undefined) onGo(0)
            setPlaying(!isPlaying)
          }}
        >
          {isPlaying ? 'Pause' : 'Replay'}
        </button>
        <select
          className="input speed"
          aria-label="Speed of the replay"
          value={speed}
          onChange={(event) => setSpeed(Number(event.target.value))}
        >
          {speeds.map((times) => (
            <option key={times} value={times}>
              {times} ×
            </option>
          ))}
        </select>
        <button
          type="button"
          className="button button-small"
          aria-label="One entry back"
          onClick={() => go(place - 1)}
        >
          ‹
        </button>
        <input
          id={`${id}-slider`}
          className="slider"
          type="range"
          min={0}
          max={head}
          value={place}
          aria-valuetext={told}
          onChange={(event) => {
            setPlaying(false)
            go(Number(event.target.value))
          }}
        />
        <button
          type="button"
          className="button button-small"
          aria-label="One entry forward"
          aria-disabled={at === undefined}
          onClick={() => at !== undefined && go(place + 1)}
        >
          ›
        </button>
        <button
          type="button"
          className="button button-small"
          aria-disabled={at === undefined}
          onClick={() => {
            setPlaying(false)
            onGo(undefined)
          }}
        >
          Now
        </button>
      </div>
      {isPlaying && at !== undefined && (
        <Replay {...{ outline, at, head, speed, onGo: go, onEnd: () => setPlaying(false) }} />
      )}
      {at !== undefined && reached !== undefined && (
        <p className="note">{formatOffset(reached.at - startedAt, 100)} after the start</p>
      )}
      {error !== undefined && <Trouble what="The session cannot be shown as it was." error={error} />}
    </section>
  )
}
