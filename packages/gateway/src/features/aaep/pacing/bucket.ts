/** How many events may leave, and since when: a bucket that refills smoothly (AAEP §5). Immutable. */
export interface Bucket {
  /** Events a second; undefined is no bound. */
  readonly rate: number | undefined
  readonly tokens: number
  /** Until when it was refilled, ms. */
  readonly at: number
}

export function createBucket(rate: number | undefined, at: number): Bucket {
  return { rate, tokens: capacityOf(rate), at }
}

/** The bucket with another rate; what was taken stays taken. */
export function withRate(bucket: Bucket, rate: number | undefined, now: number): Bucket {
  const { tokens } = refill(bucket, now)
  return { rate, tokens: Math.min(tokens, capacityOf(rate)), at: now }
}

/** When the next event may leave, ms; not after `now` if it may at once. */
export function readyAt(bucket: Bucket, now: number): number {
  if (bucket.rate === undefined) return now
  const { tokens } = refill(bucket, now)
  return tokens >= 1 ? now : now + Math.ceil(((1 - tokens) / bucket.rate) * 1000)
}

export function take(bucket: Bucket, now: number): Bucket {
  if (bucket.rate === undefined) return bucket
  const filled = refill(bucket, now)
  return { ...filled, tokens: filled.tokens - 1 }
}

function refill(bucket: Bucket, now: number): Bucket {
  if (bucket.rate === undefined || now <= bucket.at) return bucket
  const tokens = Math.min(capacityOf(bucket.rate), bucket.tokens + ((now - bucket.at) / 1000) * bucket.rate)
  return { rate: bucket.rate, tokens, at: now }
}

/** A burst is half a second's worth, and never less than one event. */
function capacityOf(rate: number | undefined): number {
  return rate === undefined ? Number.POSITIVE_INFINITY : Math.max(1, rate / 2)
}
