import { type Clock, omitUndefined, SluiceError, systemClock } from '@sluice/protocol'
import type { Level } from '../check.ts'
import { producerChecks } from '../producer-checks.ts'
import { createReport, type Report, type Selection } from '../report.ts'
import type { Probe, Run, Transcript } from '../transcript.ts'
import { post } from './http-request.ts'
import { playRun } from './play-run.ts'
import { readManifest } from './read-manifest.ts'
import { probeRequests } from './requests.ts'
import { createSocketTransport } from './socket-transport.ts'
import { createReferenceTransport, createSseTransport } from './sse-transport.ts'
import type { ConnectOptions, ProducerTransport } from './subscription.ts'
import { defaultTimes, type SuiteTimes } from './suite-times.ts'
import { createTrigger } from './trigger.ts'

export interface ProducerOptions extends Selection {
  readonly url: string
  /** Starts a session: a request (`POST http://… BODY`), or a command with its arguments, run without a shell. */
  readonly trigger: string
  /** `sse` by default. */
  readonly transport?: 'sse' | 'ws' | undefined
  /** A bearer token, sent only to the origin of the producer. */
  readonly token?: string | undefined
  /** The URL of the producer's keys; its `/.well-known/jwks.json` by default. */
  readonly jwks?: string | undefined
  /** The rate that the slow subscription requests, in events per second; 1 by default. */
  readonly slowRate?: number | undefined
  readonly times?: Partial<SuiteTimes> | undefined
  /** The system clock by default. */
  readonly clock?: Clock | undefined
  /** Called with a sentence before each step, to show progress. */
  onStep?(sentence: string): void
}

/**
 * Subscribes to the producer at a URL, triggers sessions and judges what it sees. Rejects with `gateway_unreachable`
 * when nothing answers there, and with `fetch_failed` when the trigger fails.
 */
export async function judgeProducer(options: ProducerOptions): Promise<Report> {
  const recorded = await examine(options)
  return createReport({ subject: options.url, recorded, checks: producerChecks, selection: options })
}

/** Plays every scenario that the level needs. */
async function examine(options: ProducerOptions): Promise<Transcript> {
  const { transport = 'sse', level = 3, slowRate = 1, clock = systemClock, token } = options
  const times = { ...defaultTimes, ...options.times }
  const url = options.url.replace(/(?<!\/)\/+$/, '')
  const foreign = new Set<string>()
  const { answerMs, toleranceMs } = times
  const connectOptions = { url, clock, foreign, answerMs, ...omitUndefined({ token }) }
  const producer = await findTransport(transport, connectOptions)
  const trigger = createTrigger(options.trigger, connectOptions)
  const probes: Probe[] = []
  if (level === 3 && producer.hasHandshake) {
    options.onStep?.('Trying handshakes.')
    for (const { name, request } of probeRequests) {
      const answer = await producer.probe(request)
      probes.push({ name, request, ...(answer && { answer }) })
    }
  }
  const jwks = options.jwks ?? `${url}/.well-known/jwks.json`
  const manifest = level === 3 ? await readManifest(connectOptions, probes, jwks) : { status: 0 }
  const runs: Run[] = []
  for (const purpose of purposesAt(level)) {
    options.onStep?.(steps[purpose])
    runs.push(await playRun(purpose, { producer, trigger, clock, times, slowRate, foreign }))
  }
  return {
    transport,
    hasHandshake: producer.hasHandshake,
    runs,
    probes,
    manifest,
    slowRate,
    toleranceMs,
  }
}

function purposesAt(level: Level): readonly Run['purpose'][] {
  return level === 1 ? ['accept'] : ['accept', 'reject', 'timeout']
}

const steps = {
  accept: 'A session whose questions are accepted.',
  reject: 'A session whose questions are rejected.',
  timeout: 'A session whose first question is left open.',
}

/** Uses the HTTP dialect of the reference programs if the producer has no handshake. */
async function findTransport(transport: 'sse' | 'ws', options: ConnectOptions): Promise<ProducerTransport> {
  if (transport === 'ws') return createSocketTransport(options)
  const { status } = await post(options, `${options.url}/aaep/v1/subscriptions`, {
    type: 'subscription.conformance_probe',
  })
  if (status === 0)
    throw new SluiceError('gateway_unreachable', { message: `No producer answers at ${options.url}.` })
  return [404, 405, 501].includes(status) ? createReferenceTransport(options) : createSseTransport(options)
}
