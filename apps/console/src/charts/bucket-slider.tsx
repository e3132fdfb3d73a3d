import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { type Activity, filledBucket } from './bucket-activity.ts'
import { describeBucket } from './describe-activity.ts'

interface BucketSliderProps {
  readonly activity: Activity
  /** Where the selected entry is. */
  readonly selected: number | undefined
  onPoint(bucket: number | undefined): void
  onSelect(bucket: number): void
}

/** A slider over the whole chart: arrow keys move between buckets with entries, pointers select directly. */
export function BucketSlider({ activity, selected, onPoint, onSelect }: BucketSliderProps) {
  /** The bucket that a pressed pointer was last on. */
  const pressed = useRef<number>(undefined)
  const last = activity.axis.buckets - 1
  const current = selected ?? 0

  const select = (wanted: number, direction: number): void => {
    const bucket = filledBucket(activity, wanted, direction)
    if (bucket >= 0) onSelect(bucket)
  }
  const bucketUnder = ({ clientX, currentTarget }: PointerEvent): number => {
    const { left, width } = currentTarget.getBoundingClientRect()
    const bucket = Math.floor(((clientX - left) / (width || 1)) * activity.axis.buckets)
    return Math.min(last, Math.max(0, bucket))
  }
  const onPointerMove = (event: PointerEvent): void => {
    const bucket = bucketUnder(event)
    onPoint(bucket)
    // A finger that scrolls the page moves a little before its pointer is cancelled.
    if (pressed.current === undefined || pressed.current === bucket) return
    pressed.current = bucket
    select(bucket, 0)
  }
  const onPointerUp = (event: PointerEvent): void => {
    if (pressed.current !== undefined) select(bucketUnder(event), 0)
    pressed.current = undefined
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    select(current, 0)
  }

  return (
    <input
      className="chart-slider"
      type="range"
      aria-label="Moment"
      aria-valuetext={selected === undefined ? 'none selected' : describeBucket(activity, selected)}
      min={0}
      max={last}
      value={current}
      onChange={({ currentTarget }) => {
        // For pointers, the browser computes the value of a thumb, not of a bucket.
        if (pressed.current !== undefined) return
        const wanted = currentTarget.valueAsNumber
        select(wanted, Math.sign(wanted - current))
      }}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        pressed.current = bucketUnder(event)
      }}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onLostPointerCapture={() => {
        pressed.current = undefined
      }}
      onPointerLeave={() => onPoint(undefined)}
    />
  )
}
