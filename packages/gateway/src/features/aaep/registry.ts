import { createHash, randomBytes } from 'node:crypto'
import type { Log } from '@sluice/log'
import { type Clock, isJsonObject, SluiceError, type Timer } from '@sluice/protocol'
import { timeSince } from '../../kernel/time-since.ts'
import { defaultRingSize } from './registry-history.ts'
import { journalMark, parseJournalStream } from './registry-journal.ts'
import {
  createSubscription,
  type KeptSubscription,
  type Subscription,
  type SubscriptionFields,
  subscriptionMark,
  toSubscriptionInfo,
} from './registry-subscription.ts'

export interface RegistryLimits {
  readonly subscriptionsPerSubject: number
  readonly subscriptions: number
  /** How long a subscription that nobody uses is kept. */
  readonly subscriptionIdleMs: number
}

export interface RegistryParts {
  readonly log: Log
  readonly clock: Clock
  readonly limits: RegistryLimits
  /** How many emissions of a subscription can be resumed after; 4096 by default. */
  readonly ringSize?: number
}

/** The durable subscriptions of a gateway. */
export interface Registry {
  /** Loads the stored subscriptions, removes what a crash left, and starts to close idle ones. */
  start(): Promise<void>
  /** Stops closing idle subscriptions, and waits for pending writes. */
  stop(): Promise<void>
  /**
   * Creates a subscription; a repeated `key` of the same subject returns the one it created before. If the
   * subject has too many, closes the one that has not been read for the longest time. Rejects with
   * `rate_limited` when all of them are being read, or the gateway has too many.
   */
  create(fields: SubscriptionFields, key?: string): Promise<Subscription>
  /** The subscription that was created with a key. */
  findByKey(key: string, subject: string): Promise<Subscription | undefined>
  /** Undefined when it does not exist, or belongs to another subject. */
  find(id: string, subject: string): Promise<Subscription | undefined>
  countOf(subject: string): number
  readonly count: number
  /** Ends a subscription and removes everything stored of it. */
  close(id: string): Promise<void>
  /** Closes idle subscriptions. */
  sweep(): Promise<void>
}

interface Row {
  readonly subject: string
  readonly key: string | undefined
  /** The subscription is not durable yet. */
  isBeginning: boolean
  /** In monotonic ms. */
  usedAt: number
  /** The last `usedAt` that was stored. */
  storedUsedAt: number
  readonly generation: number | undefined
  /** Undefined until first requested. */
  kept?: Promise<KeptSubscription> | undefined
  /** The same, once loaded. */
  subscription?: Subscription
}

const maxSweepMs = 3_600_000
/** How long clients have to reconnect after a restart of the gateway. */
const returnMs = 30_000

export function createRegistry({ log, clock, limits, ringSize = defaultRingSize }: RegistryParts): Registry {
  const rows = new Map<string, Row>()
  const counts = new Map<string, number>()
  const idsByKey = new Map<string, string>()
  const sweepMs = Math.min(maxSweepMs, Math.ceil(limits.subscriptionIdleMs / 8))
  const writes = new Set<Promise<void>>()
  let timer: Timer | undefined

  function add(id: string, row: Row): Row {
    rows.set(id, row)
    if (row.key !== undefined) idsByKey.set(row.key, id)
    counts.set(row.subject, (counts.get(row.subject) ?? 0) + 1)
    return row
  }

  function drop(id: string): void {
    const row = rows.get(id)
    if (row === undefined) return
    rows.delete(id)
    if (row.key !== undefined && idsByKey.get(row.key) === id) idsByKey.delete(row.key)
    const left = (counts.get(row.subject) ?? 0) - 1
    if (left > 0) counts.set(row.subject, left)
    else counts.delete(row.subject)
  }

  function keep(id: string, row: Row, info: SubscriptionFields & { readonly createdAt: number }) {
    const { places: _, ...fields } = info
    const kept = createSubscription({
      log,
      clock,
      id,
      info: { kind: subscriptionMark, ...fields },
      generation: row.generation,
      key: row.key,
      ringSize,
      onUse: () => use(row),
    })
    row.subscription = kept.subscription
    return kept
  }

  /** The time of use is stored only now and then: what a crash loses is short compared to the idle time. */
  function use(row: Row): void {
    row.usedAt = clock.monotonic()
    if (row.usedAt - row.storedUsedAt < sweepMs) return
    row.storedUsedAt = row.usedAt
    const written = row.kept?.then((kept) => kept.putUsedAt(clock.now())).catch(() => {})
    if (written === undefined) return
    writes.add(written)
    void written.then(() => writes.delete(written))
  }

  async function load(id: string, row: Row): Promise<KeptSubscription> {
    const head = await log.head(id)
    if (head === undefined) throw new SluiceError('session_deleted')
    return keep(id, row, toSubscriptionInfo(head.info))
  }

  function keptOf(id: string, row: Row): Promise<KeptSubscription> {
    row.kept ??= load(id, row).catch((error) => {
      row.kept = undefined
      throw error
    })
    return row.kept
  }

  async function close(id: string): Promise<void> {
    const row = rows.get(id)
    if (row === undefined) return
    const kept = await keptOf(id, row)
    await kept.remove()
    drop(id)
  }

  /** The subject's subscription that nobody has read for the longest time. */
  function leastUsed(subject: string): string | undefined {
    let found: string | undefined
    let usedAt = Number.POSITIVE_INFINITY
    for (const [id, row] of rows) {
      const isFree = !row.isBeginning && row.subscription?.isAttached !== true
      if (row.subject !== subject || !isFree || row.usedAt >= usedAt) continue
      found = id
      usedAt = row.usedAt
    }
    return found
  }

  function isCrowded(subject: string): boolean {
    return (counts.get(subject) ?? 0) >= limits.subscriptionsPerSubject
  }

  async function closeLeastUsed(subject: string): Promise<void> {
    const id = leastUsed(subject)
    if (id === undefined) throw tooMany()
    await close(id)
  }

  async function sweep(): Promise<void> {
    const idleSince = clock.monotonic() - limits.subscriptionIdleMs
    for (const [id, row] of [...rows]) {
      if (row.subscription?.isAttached === true) use(row)
      else if (row.usedAt <= idleSince) await close(id)
    }
  }

  function findKeyed(key: string | undefined): Promise<KeptSubscription> | undefined {
    const id = key === undefined ? undefined : idsByKey.get(key)
    const row = id === undefined ? undefined : rows.get(id)
    return id === undefined || row === undefined ? undefined : keptOf(id, row)
  }

  function schedule(): void {
    timer = clock.after(sweepMs, () => {
      // What could not be removed is tried again next time.
      sweep().catch(() => {})
      schedule()
    })
  }

  return {
    async start() {
      const generations = await clearJournals(log)
      for (const { session: id, value } of await log.marks(subscriptionMark)) {
        if (!isJsonObject(value)) continue
        const { subject, usedAt, key } = value
        if (typeof subject !== 'string' || typeof usedAt !== 'number' || rows.has(id)) continue
        const maxMs = Math.max(0, limits.subscriptionIdleMs - returnMs)
        const lastUsedAt = clock.monotonic() - timeSince(usedAt, { clock, maxMs })
        add(id, {
          subject,
          key: typeof key === 'string' ? key : undefined,
          isBeginning: false,
          usedAt: lastUsedAt,
          storedUsedAt: lastUsedAt,
          generation: generations.get(id),
        })
      }
      schedule()
    },
    async stop() {
      timer?.clear()
      await Promise.all(writes)
    },
    async create(fields, given) {
      const { subject, places } = fields
      const key = given === undefined ? undefined : hashKey(subject, given)
      // Others arrive in the meantime, also the same request again; nothing waits between the last look and add().
      while (findKeyed(key) === undefined && isCrowded(subject)) await closeLeastUsed(subject)
      const known = findKeyed(key)
      if (known !== undefined) return (await known).subscription
      if (rows.size >= limits.subscriptions) throw tooMany()
      const id = mintId()
      const createdAt = clock.now()
      const usedAt = clock.monotonic()
      const row = add(id, {
        subject,
        key,
        isBeginning: true,
        usedAt,
        storedUsedAt: usedAt,
        generation: undefined,
      })
      const kept = keep(id, row, { ...fields, createdAt })
      row.kept = (async () => {
        // The journal comes first: after a crash between the two writes, start removes it.
        if (places !== undefined && places.size > 0) await kept.subscription.restart(places)
        await kept.begin()
        return kept
      })()
      try {
        const { subscription } = await row.kept
        row.isBeginning = false
        return subscription
      } catch (error) {
        drop(id)
        throw error
      }
    },
    async find(id, subject) {
      const row = rows.get(id)
      if (row === undefined || row.subject !== subject) return undefined
      return (await keptOf(id, row)).subscription
    },
    findByKey: async (key, subject) => (await findKeyed(hashKey(subject, key)))?.subscription,
    countOf: (subject) => counts.get(subject) ?? 0,
    get count() {
      return rows.size
    },
    close,
    sweep,
  }
}

/**
 * Removes journals without a subscription and those that a later one replaced; returns the rest by
 * subscription.
 */
async function clearJournals(log: Log): Promise<ReadonlyMap<string, number>> {
  const known = new Set((await log.marks(subscriptionMark)).map(({ session }) => session))
  const latest = new Map<string, { readonly stream: string; readonly generation: number }>()
  const stale: string[] = []
  for (const { session: stream } of await log.marks(journalMark)) {
    const parsed = parseJournalStream(stream)
    if (parsed === undefined) continue
    const id = `sub_${parsed.name}`
    const other = latest.get(id)
    const isLatest = known.has(id) && (other === undefined || other.generation < parsed.generation)
    if (!isLatest) stale.push(stream)
    else {
      if (other !== undefined) stale.push(other.stream)
      latest.set(id, { stream, generation: parsed.generation })
    }
  }
  // A store that refuses writes keeps them until the next start.
  for (const stream of stale) await log.delete(stream).catch(() => false)
  return new Map([...latest].map(([id, { generation }]) => [id, generation]))
}

function tooMany(): SluiceError {
  return new SluiceError('rate_limited', { message: 'There are too many subscriptions.' })
}

function hashKey(subject: string, key: string): string {
  return createHash('sha256').update(`${subject}\0${key}`).digest('hex').slice(0, 32)
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** 130 random bits. */
function mintId(): string {
  return `sub_${[...randomBytes(26)].map((byte) => alphabet[byte & 31]).join('')}`
}
