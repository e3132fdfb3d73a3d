import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryLog } from '@sluice/log'
import { createBackoff, retry, SluiceError, startCursor } from '@sluice/protocol'
import { dialectById } from '@sluice/protocol/dialects'
import { createDrivenClock, type DrivenClock } from '@sluice/protocol/testing'
import { describe, expect, test } from 'vitest'
import { createJwks } from './access/jwks.ts'
import { rememberJwt, rememberMs } from './access/remember-jwt.ts'
import { watchFile } from './access/watched-file.ts'
import { createRegistry } from './features/aaep/registry.ts'
import { createStream } from './features/aaep/stream.ts'
import { startRetention } from './features/retention/start-retention.ts'
import { createPresences } from './features/runs/presences.ts'
import { createOffer } from './features/upstreams/offer.ts'
import { enterAt } from './kernel/fan-out/position.ts'
import { createSubscriber } from './kernel/fan-out/subscriber.ts'
import { createSubscribers } from './kernel/fan-out/subscribers.ts'
import { dialectView } from './kernel/fan-out/view-spec.ts'
import { sseFormat } from './kernel/fan-out/wire-format.ts'
import { createAnswerers } from './kernel/questions/answerers.ts'
import { createQuestionTokens } from './kernel/questions/question-tokens.ts'
import { createSessionTime } from './kernel/sessions/session-time.ts'
import { createRateLimiter } from './ops/rate-limiter.ts'
import { createGrowingSession, openPacedSession } from './testing/open-paced-session.ts'
import { openTestDirectory } from './testing/open-test-directory.ts'
import { openTestKernel } from './testing/open-test-kernel.ts'
import { delta } from './testing/open-test-subscriptions.ts'
import { entriesAt } from './testing/pace-text.ts'
import { playedId, playSession } from './testing/played-session.ts'
import { makeEntries, published } from './testing/sample-lines.ts'
import { createSlowConnection } from './testing/slow-connection.ts'
import { createTestConnection } from './testing/test-connection.ts'

/** Something that happens once, a fixed time after it was armed. */
interface Armed {
  readonly clock: DrivenClock
  hasFired(): boolean | Promise<boolean>
  close?(): unknown
}

const day = 86_400_000
const id = 'sess_stepped'

async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await new Promise((run) => setImmediate(run))
}

async function askFor(timeoutMs: number, isDone: (kinds: readonly string[]) => boolean): Promise<Armed> {
  const gate = await openTestKernel()
  await gate.ask(id, { token: 't', timeoutMs })
  return {
    clock: gate.clock,
    hasFired: async () => isDone((await gate.events(id)).map(({ kind }) => kind)),
    close: gate.close,
  }
}

async function joinText(): Promise<Armed> {
  const script = makeEntries(playedId, [[{ kind: 'session-start' }], [delta('held')]])
  const session = playSession({
    script,
    limits: { sliceBytes: 65_536, ringBytes: 65_536 },
    ringsBytes: 65_536,
  })
  const spec = dialectView(dialectById('stream-event'), { spanMs: 40 })
  const entered = await enterAt(spec, session, startCursor)
  if (entered === undefined) throw new Error('no way in')
  const connection = createSlowConnection(sseFormat, 1 << 20)
  const { clock } = session
  const subscriber = createSubscriber({
    session,
    spec,
    connection,
    clock,
    sliceBytes: 65_536,
    onDelivered: () => {},
    onClosed: () => {},
  })
  subscriber.start(entered)
  session.append(2)
  return { clock, hasFired: () => connection.text.includes('held'), close: subscriber.close }
}

async function pace(
  terms: { readonly maxEventsPerSecond?: number },
  texts: readonly string[],
): Promise<Armed> {
  const clock = createDrivenClock()
  const connection = createTestConnection()
  const stream = createStream({
    clock,
    connection,
    maxEventsPerSecond: terms.maxEventsPerSecond,
    journal: undefined,
    isComplete: () => false,
    onSent: () => {},
    onClosed: () => {},
  })
  const session = createGrowingSession(id, createSessionTime(clock))
  stream.add((await openPacedSession({ terms, session })).paced)
  stream.start()
  const at = clock.now()
  const calls = texts.map((text) => delta(text))
  stream.accept(id, session.grow(entriesAt([{ kind: 'session-start' }, ...calls], () => at)))
  const before = connection.events.length
  return { clock, hasFired: () => connection.events.length > before, close: stream.close }
}

async function rest(): Promise<Armed> {
  const { directory, clock } = openTestDirectory(createMemoryLog(), { idleSessionMs: 60_000 })
  await directory.open(id)
  return { clock, hasFired: () => directory.openCount === 0, close: directory.close }
}

async function subscribeIdly(): Promise<Armed> {
  const clock = createDrivenClock()
  const limits = { subscriptionsPerSubject: 4, subscriptions: 4, subscriptionIdleMs: 80_000 }
  const registry = createRegistry({ log: createMemoryLog(), clock, limits })
  await registry.start()
  const fields = {
    subject: 'ann',
    subscriber: { id: 'reader', name: 'A reader' },
    honored: {},
    after: 'now',
  } as const
  await registry.create(fields)
  return { clock, hasFired: () => registry.count === 0, close: registry.stop }
}

function enrol(
  stalledMs: number,
  heartbeatMs: number,
  isDone: (told: { resets: number; beats: number }) => boolean,
) {
  const clock = createDrivenClock()
  const armedAt = clock.monotonic()
  const subscribers = createSubscribers({ clock, heartbeatMs, stalledMs })
  const told = { resets: 0, beats: 0 }
  subscribers.enrol({
    transport: 'sse',
    isAllowed: () => true,
    reset: () => {
      told.resets += 1
    },
    drain: () => {},
    reader: {
      stalledSince: armedAt,
      lag: 0,
      beat: (before) => {
        if (before >= armedAt) told.beats += 1
      },
    },
  })
  return { clock, hasFired: () => isDone(told), close: subscribers.close }
}

async function tryAgain(): Promise<Armed> {
  const clock = createDrivenClock()
  let tries = 0
  const leaving = new AbortController()
  const failing = retry(
    async () => {
      tries += 1
      throw new SluiceError('fetch_failed')
    },
    { clock, signal: leaving.signal, backoff: createBackoff({ baseMs: 1000, random: () => 0.5 }) },
  ).catch(() => {})
  await settled()
  return {
    clock,
    hasFired: () => tries > 1,
    close: () => {
      leaving.abort()
      return failing
    },
  }
}

async function verify(): Promise<Armed> {
  const clock = createDrivenClock()
  let verified = 0
  const jwt = { subject: 'a', grants: [], agent: undefined, expiresAt: Number.POSITIVE_INFINITY }
  const remembered = rememberJwt(async () => {
    verified += 1
    return jwt
  }, clock)
  await remembered('token')
  return { clock, hasFired: async () => remembered('token').then(() => verified > 1) }
}

async function refetch(): Promise<Armed> {
  const clock = createDrivenClock()
  let fetches = 0
  const body = new TextEncoder().encode('{"keys":[]}')
  const getKey = createJwks({
    url: 'https://id.example/jwks',
    clock,
    fetch: async () => {
      fetches += 1
      return { status: 200, body, headers: {} } as never
    },
    onProblem: () => {},
  })
  const look = () =>
    Promise.resolve(getKey({ alg: 'ES256', kid: 'none' }, undefined as never)).catch(() => {})
  await look()
  return { clock, hasFired: () => look().then(() => fetches > 1) }
}

async function look(): Promise<Armed> {
  const clock = createDrivenClock()
  let looks = 0
  const presenceOf = createPresences(clock, new AbortController().signal)
  const hosted = {
    agent: {
      look: async () => {
        looks += 1
        return { isInstalled: true }
      },
    },
  } as never
  await presenceOf(hosted)
  return { clock, hasFired: () => presenceOf(hosted).then(() => looks > 1) }
}

async function holdToken(): Promise<Armed> {
  const clock = createDrivenClock()
  const tokens = createQuestionTokens(clock)
  tokens.take('t', 'sess_a')
  return { clock, hasFired: () => !tokens.isTaken('t', 'sess_b') }
}

async function limitRate(): Promise<Armed> {
  const clock = createDrivenClock()
  const limiter = createRateLimiter(clock, { perSecond: 1 })
  limiter.take('a')
  return { clock, hasFired: () => limiter.take('a') === 0 }
}

async function offerAnswers(): Promise<Armed> {
  const clock = createDrivenClock()
  const answerers = createAnswerers(async () => {})
  const told: boolean[] = []
  const offer = createOffer({
    clock,
    answerers,
    sessions: () => [],
    anySession: { id: 'any', labels: {} },
    tell: async (isOn) => void told.push(isOn),
    onFailed: () => {},
  })
  const place = answerers.enrol({ reaches: () => true })
  offer.start()
  place.drop()
  return { clock, hasFired: () => told.includes(false), close: offer.stop }
}

const timers: readonly (readonly [name: string, ms: number, arm: () => Promise<Armed>])[] = [
  ['a question closes', 4_000, () => askFor(4_000, (kinds) => kinds.includes('question-close'))],
  ['a countdown is told', 50_000, () => askFor(100_000, (kinds) => kinds.includes('progress'))],
  ['the token of a question is free again', day, holdToken],
  ['joined text is sent', 40, joinText],
  ['text without a boundary is sent', 4_000, () => pace({}, ['No end yet'])],
  ['a rate allows the next event', 1_000, () => pace({ maxEventsPerSecond: 1 }, ['One. ', 'Two. '])],
  ['a heartbeat is due', 15_000, async () => enrol(day, 15_000, ({ beats }) => beats > 0)],
  ['a stalled reader is reset', 30_000, async () => enrol(30_000, 15_000, ({ resets }) => resets > 0)],
  ['an unused session leaves memory', 60_000, rest],
  ['an unused subscription is closed', 80_000, subscribeIdly],
  ['a failed attempt is repeated', 500, tryAgain],
  ['answers are no longer offered upstream', 10_000, offerAnswers],
  ['a token is verified again', rememberMs, verify],
  ['keys of an issuer are fetched again', 30_000, refetch],
  ['an agent is looked up again', 30_000, look],
  ['a client has a request left', 1_000, limitRate],
]

describe.each([-day, day])('a clock that is set by %i ms does not change when', (step) => {
  test.each(timers)('%s', async (_, ms, arm) => {
    const { clock, hasFired, close } = await arm()
    try {
      clock.advance(Math.floor(ms / 2))
      clock.stepWall(step)
      clock.advance(Math.ceil(ms / 2) - 1)
      await settled()
      expect(await hasFired()).toBe(false)
      clock.advance(1)
      await settled()
      expect(await hasFired()).toBe(true)
    } finally {
      await close?.()
    }
  })

  test('a file is read for good', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-steps-'))
    const path = join(folder, 'watched')
    writeFileSync(path, 'a')
    const clock = createDrivenClock()
    let reads = 0
    const parse = (text: string | undefined) => {
      reads += 1
      return text
    }
    const file = watchFile(path, { clock, parse, onProblem: () => {} })
    clock.stepWall(step)
    clock.advance(100)
    file.current()
    writeFileSync(path, 'b')
    expect(file.current()).toBe('b')
    expect(reads).toBe(2)
    rmSync(folder, { recursive: true })
  })
})

test.each([
  ['is set forward is removed at its age', day, [false, true]],
  ['is set back is not removed earlier', -day, [false, false]],
])('an ended session in a gateway whose clock %s', async (_, step, expected) => {
  const retention = { maxAgeMs: 119_999 }
  const gate = await openTestKernel({ config: { retention } })
  await gate.publish(id, [published({ kind: 'session-end', outcome: 'completed' })])
  const stop = startRetention(gate.kernel)
  gate.clock.stepWall(step)
  const found: boolean[] = []
  for (let minutes = 0; minutes < 2; minutes += 1) {
    gate.clock.advance(60_000)
    await settled()
    found.push(await gate.log.isDeleted(id))
  }
  expect(found).toEqual(expected)
  stop()
  await gate.close()
})
