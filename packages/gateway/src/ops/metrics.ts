import { dialects } from '@sluice/protocol/dialects'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { createLabelBound } from './label-bound.ts'

const transports = ['sse', 'ndjson', 'ws', 'unix'] as const
const verdicts = ['accepted', 'duplicate', 'refused'] as const

/** How frames reach a reader. */
export type Transport = (typeof transports)[number]

/** What happened to a posted event. */
export type IngestVerdict = (typeof verdicts)[number]

const upstreamStates = ['connected', 'waiting'] as const
const replyOutcomes = ['delivered', 'refused', 'late'] as const

const runStates = ['active', 'queued'] as const
const runOutcomes = ['completed', 'failed', 'cancelled'] as const

export type RunOutcome = (typeof runOutcomes)[number]

export type UpstreamState = (typeof upstreamStates)[number]

/** What happened to an answer to a question of an upstream. */
export type ReplyOutcome = (typeof replyOutcomes)[number]

/** Values that are read from the gateway whenever metrics are rendered. */
export interface Readings {
  subscribers(): Readonly<Record<Transport, number>>
  /** Readers whose socket accepts nothing at the moment. */
  stalled(): number
  /** How many entries the slowest reader has yet to receive. */
  maxLag(): number
  openSessions(): number
  openQuestions(): number
  /** Bytes that wait to be stored. */
  pendingBytes(): number
  /** Remote AAEP producers that are being read, and those that are not. */
  upstreams(): Readonly<Record<UpstreamState, number>>
  /** Of agents that the gateway runs. */
  runs(): Readonly<Record<(typeof runStates)[number], number>>
}

/** What the metrics count of a request. */
interface CountedRequest {
  readonly route: string
  readonly method: string
  readonly status: number
}

/** Frames that were sent to subscribers. */
interface Delivery {
  readonly transport: Transport
  readonly dialect: string
  readonly frames: number
  readonly bytes: number
}

/** The metrics of the gateway. Every label is bounded: no id and no text of a peer becomes one. */
export interface Metrics {
  readonly contentType: string
  ingested(dialect: string, verdict: IngestVerdict, count: number): void
  delivered(delivery: Delivery): void
  /** One durable append: how long it took, and how many records it held. */
  appended(seconds: number, records: number): void
  /** Events that an upstream sent. */
  upstreamEvents(verdict: IngestVerdict, count: number): void
  /** A stream of an upstream was opened. */
  upstreamConnected(): void
  upstreamReply(outcome: ReplyOutcome): void
  /** A run was requested and accepted. */
  runStarted(): void
  runEnded(outcome: RunOutcome): void
  /** `route` is the pattern of the route, never the URL. The time of a stream ends when its head is sent. */
  request(counted: CountedRequest, seconds: number): void
  /** Replaces the previous readings; before the first call, they are 0. */
  watch(readings: Readings): void
  /** The text format of Prometheus. */
  render(): Promise<string>
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const MAX_ROUTES = 128
const APPEND_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Metrics with their own registry. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  const ingested = new Counter({
    name: 'sluice_ingest_events_total',
    help: 'Events that were posted, by dialect and by what became of them.',
    labelNames: ['dialect', 'verdict'],
    registers,
  })
  const frames = new Counter({
    name: 'sluice_delivered_frames_total',
    help: 'Frames that were written to readers.',
    labelNames: ['transport', 'dialect'],
    registers,
  })
  const bytes = new Counter({
    name: 'sluice_delivered_bytes_total',
    help: 'Bytes of the frames that were written to readers.',
    labelNames: ['transport', 'dialect'],
    registers,
  })
  const appendSeconds = new Histogram({
    name: 'sluice_append_seconds',
    help: 'Time from an append to its being durable.',
    buckets: APPEND_SECONDS,
    registers,
  })
  const appendedRecords = new Counter({
    name: 'sluice_appended_records_total',
    help: 'Records that have become durable.',
    registers,
  })
  const upstreamEvents = new Counter({
    name: 'sluice_upstream_events_total',
    help: 'Events that upstreams sent, by what became of them.',
    labelNames: ['verdict'],
    registers,
  })
  const upstreamConnections = new Counter({
    name: 'sluice_upstream_connections_total',
    help: 'Streams of upstreams that were opened.',
    registers,
  })
  const upstreamReplies = new Counter({
    name: 'sluice_upstream_replies_total',
    help: 'Answers to questions of upstreams, by what became of them.',
    labelNames: ['outcome'],
    registers,
  })
  const runsStarted = new Counter({
    name: 'sluice_runs_started_total',
    help: 'Runs of agents that were taken, also those that had to wait.',
    registers,
  })
  const runsEnded = new Counter({
    name: 'sluice_runs_ended_total',
    help: 'Runs of agents that ended, by their outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const requestSeconds = new Histogram({
    name: 'sluice_http_request_seconds',
    help: 'Time that requests took; a stream counts until its head was sent.',
    labelNames: ['route', 'method', 'status'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  const watch = createReadingGauges(registry)

  const boundDialect = createLabelBound(dialects.map(({ id }) => id))
  const boundMethod = createLabelBound(METHODS)
  const boundRoute = createLabelBound([], MAX_ROUTES)
  // A series that exists from the start shows its first event as a rise; one that appears with it does not.
  for (const { id: dialect } of dialects) {
    for (const verdict of verdicts) ingested.inc({ dialect, verdict }, 0)
    for (const transport of transports) {
      frames.inc({ transport, dialect }, 0)
      bytes.inc({ transport, dialect }, 0)
    }
  }

  for (const verdict of verdicts) upstreamEvents.inc({ verdict }, 0)
  for (const outcome of replyOutcomes) upstreamReplies.inc({ outcome }, 0)
  for (const outcome of runOutcomes) runsEnded.inc({ outcome }, 0)

  return {
    contentType: registry.contentType,
    ingested: (dialect, verdict, count) => ingested.inc({ dialect: boundDialect(dialect), verdict }, count),
    delivered: ({ transport, dialect, frames: frameCount, bytes: byteCount }) => {
      const labels = { transport, dialect: boundDialect(dialect) }
      frames.inc(labels, frameCount)
      bytes.inc(labels, byteCount)
    },
    appended: (seconds, records) => {
      appendSeconds.observe(seconds)
      appendedRecords.inc(records)
    },
    upstreamEvents: (verdict, count) => upstreamEvents.inc({ verdict }, count),
    upstreamConnected: () => upstreamConnections.inc(),
    upstreamReply: (outcome) => upstreamReplies.inc({ outcome }),
    runStarted: () => runsStarted.inc(),
    runEnded: (outcome) => runsEnded.inc({ outcome }),
    request: ({ route, method, status }, seconds) =>
      requestSeconds.observe(
        { route: boundRoute(route), method: boundMethod(method), status: toStatusLabel(status) },
        seconds,
      ),
    watch,
    render: () => registry.metrics(),
  }
}

function createReadingGauges(registry: Registry): Metrics['watch'] {
  let readings: Readings | undefined
  const gauge = (name: string, help: string, read: (from: Readings) => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(readings === undefined ? 0 : read(readings))
      },
    })
  }
  new Gauge({
    name: 'sluice_subscribers',
    help: 'Readers that are connected.',
    labelNames: ['transport'],
    registers: [registry],
    collect() {
      const counts = readings?.subscribers()
      for (const transport of transports) this.set({ transport }, counts?.[transport] ?? 0)
    },
  })
  new Gauge({
    name: 'sluice_upstreams',
    help: 'AAEP producers elsewhere that are followed.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const counts = readings?.upstreams()
      for (const state of upstreamStates) this.set({ state }, counts?.[state] ?? 0)
    },
  })
  new Gauge({
    name: 'sluice_runs',
    help: 'Runs of agents that are under way, and those that wait.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const counts = readings?.runs()
      for (const state of runStates) this.set({ state }, counts?.[state] ?? 0)
    },
  })
  gauge('sluice_stalled_subscribers', 'Readers whose socket takes nothing at the moment.', (from) =>
    from.stalled(),
  )
  gauge('sluice_max_lag_entries', 'Entries that the reader furthest behind has still to get.', (from) =>
    from.maxLag(),
  )
  gauge('sluice_open_sessions', 'Sessions that are held in memory.', (from) => from.openSessions())
  gauge('sluice_open_questions', 'Questions that wait for an answer.', (from) => from.openQuestions())
  gauge('sluice_pending_bytes', 'Bytes of events that wait to be stored.', (from) => from.pendingBytes())
  return (next) => {
    readings = next
  }
}

const toStatusLabel = (status: number): string =>
  Number.isInteger(status) && status >= 100 && status <= 599 ? String(status) : 'other'
