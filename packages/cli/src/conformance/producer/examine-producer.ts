import { type Clock, SluiceError } from '@sluice/protocol'
import type { Level } from '../check.ts'
import type { Probe, Run, Transcript } from '../transcript.ts'
import type { PeerOptions, ProducerPeer } from './link.ts'
import { playRun } from './play-run.ts'
import { readManifest } from './read-manifest.ts'
import { probeRequests } from './requests.ts'
import { createSocketPeer } from './socket-peer.ts'
import { createReferencePeer, createSsePeer, post } from './sse-peer.ts'
import type { SuiteTimes } from './suite-times.ts'
import { createTrigger } from './trigger.ts'

export interface ProducerOptions {
  readonly url: string
  readonly trigger: string
  readonly transport: 'sse' | 'ws'
  readonly level: Level
  readonly token?: string
  /** Where the keys of the producer are; its `/.well-known/jwks.json` by default. */
  readonly jwks?: string
  readonly slowRate: number
  readonly times: SuiteTimes
  readonly clock: Clock
  /** Told what is done next, for a person who waits. */
  onStep?(sentence: string): void
}

/** Plays every scenario that the level needs, and answers what was seen. */
export async function examineProducer(options: ProducerOptions): Promise<Transcript> {
  const { transport, level, times, slowRate, clock, onStep } = options
  const url = options.url.replace(/\/+$/, '')
  const foreign = new Set<string>()
  const { token } = options
  const peerOptions: PeerOptions = {
    url,
    clock,
    foreign,
    answerMs: times.answerMs,
    ...(token !== undefined && { token }),
  }
  const peer = await findPeer(transport, peerOptions)
  const trigger = createTrigger(options.trigger, peerOptions)
  const probes: Probe[] = []
  if (level === 3 && peer.hasHandshake) {
    onStep?.('Trying handshakes.')
    for (const { name, request } of probeRequests) {
      const answer = await peer.probe(request)
      probes.push({ name, request, ...(answer && { answer }) })
    }
  }
  const jwks = options.jwks ?? `${url}/.well-known/jwks.json`
  const manifest = level === 3 ? await readManifest(peerOptions, probes, jwks) : { status: 0 }
  const runs: Run[] = []
  for (const purpose of level === 1 ? (['accept'] as const) : (['accept', 'reject', 'timeout'] as const)) {
    onStep?.(steps[purpose])
    runs.push(await playRun(purpose, { peer, trigger, clock, times, slowRate, foreign }))
  }
  const { hasHandshake } = peer
  return { transport, hasHandshake, runs, probes, manifest, slowRate, toleranceMs: times.toleranceMs }
}

const steps = {
  accept: 'A session whose questions are accepted.',
  reject: 'A session whose questions are rejected.',
  timeout: 'A session whose first question is left open.',
}

/** A producer without a handshake speaks as the reference programs do. */
async function findPeer(transport: 'sse' | 'ws', options: PeerOptions): Promise<ProducerPeer> {
  if (transport === 'ws') return createSocketPeer(options)
  const { status } = await post(options, `${options.url}/aaep/v1/subscriptions`, {
    type: 'subscription.conformance_probe',
  })
  if (status === 0)
    throw new SluiceError('gateway_unreachable', { message: `No producer answers at ${options.url}.` })
  return [404, 405, 501].includes(status) ? createReferencePeer(options) : createSsePeer(options)
}
