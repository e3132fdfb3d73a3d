/** Limits the rate of events: a token bucket that refills smoothly (AAEP §5). Immutable. */
export interface Bucket {
  /** Events per second; undefined for no limit. */
  readonly rate: number | undefined
  readonly tokens: number
  /** When it was last refilled, in monotonic ms. */
  readonly at: number
}

export function createBucket(rate: number | undefined, at: number): Bucket {
  return { rate, tokens: capacityOf(rate), at }
}

/** The bucket with another rate; used tokens stay used. */
export function withRate(bucket: Bucket, rate: number | undefined, now: number): Bucket {
  const { tokens } = refill(bucket, now)
  return { rate, tokens: Math.min(tokens, capacityOf(rate)), at: now }
}

/** When the next event may be sent, in monotonic ms; `now` if immediately. */
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

/** A burst is at most half a second's worth, but at least one event. */
function capacityOf(rate: number | undefined): number {
  return rate === undefined ? Number.POSITIVE_INFINITY : Math.max(1, rate / 2)
}
