import { createMemoryLog, type Log } from '@sluice/log'
import { type Entry, omitUndefined, type QuestionOpen, type SluiceEvent } from '@sluice/protocol'
import { createDrivenClock, type DrivenClock } from '@sluice/protocol/testing'
import type { Action, Caller } from '../access/caller.ts'
import { defaultConfig, type GatewayConfig } from '../config/config.ts'
import { noSigningKeys } from '../features/aaep/signing-keys.ts'
import { createSubscriptions, type Subscriptions } from '../features/aaep/subscriptions.ts'
import type { HostedAgent } from '../features/runs/hosted-agent.ts'
import { createRuns, type Runs, type RunsParts } from '../features/runs/runs.ts'
import { createKernel, type Kernel } from '../kernel/kernel.ts'
import { createLogger } from '../ops/logger.ts'
import { createMetrics } from '../ops/metrics.ts'
import { each, entriesIn, publicationOf } from './open-test-writer.ts'
import { published, toBatch } from './sample-lines.ts'
import { until } from './until.ts'

/** Everything that routes need of a gateway, without a server, on a clock that the test drives. */
export interface TestKernel {
  readonly kernel: Kernel
  readonly subscriptions: Subscriptions
  readonly runs: Runs
  readonly log: Log
  readonly clock: DrivenClock
  /** The lines of its logger, parsed. */
  readonly lines: readonly Readonly<Record<string, unknown>>[]
  publish(session: string, lines: readonly string[], dialect?: string): Promise<void>
  /** Asks a question in the native dialect. */
  ask(session: string, question: Partial<QuestionOpen> & { readonly token: string }): Promise<void>
  entries(session: string): Promise<readonly Entry[]>
  /** All events of a session. */
  events(session: string): Promise<readonly SluiceEvent[]>
  /** Waits until a session has this many entries. */
  has(session: string, entries: number): Promise<void>
  close(): Promise<void>
}

export interface TestKernelOptions {
  readonly log?: Log
  readonly startAt?: number
  readonly config?: Partial<GatewayConfig>
  readonly agents?: Readonly<Record<string, HostedAgent>>
  readonly endProcess?: RunsParts['endProcess']
}

export async function openTestKernel(options: TestKernelOptions = {}): Promise<TestKernel> {
  const log = options.log ?? createMemoryLog()
  const clock = createDrivenClock(options.startAt)
  const lines: Readonly<Record<string, unknown>>[] = []
  const kernel = createKernel({
    config: { ...defaultConfig, ...options.config },
    log,
    clock,
    logger: createLogger({
      level: 'info',
      destination: { write: (line) => void lines.push(JSON.parse(line)) },
    }),
    metrics: createMetrics(),
  })
  const subscriptions = createSubscriptions(kernel, noSigningKeys)
  const runs = createRuns(kernel, {
    agents: new Map(Object.entries(options.agents ?? {})),
    ...omitUndefined({ endProcess: options.endProcess }),
  })
  await kernel.questions.start()
  const publish: TestKernel['publish'] = async (id, texts, dialect = 'sluice') => {
    const session = await kernel.directory.open(id)
    await session.write((writer) => writer.publish(toBatch(...texts), publicationOf(dialect), each))
  }
  return {
    kernel,
    subscriptions,
    runs,
    log,
    clock,
    lines,
    publish,
    ask: (session, question) =>
      publish(session, [
        published({ kind: 'question-open', question: 'confirmation', text: 'Really?', ...question }),
      ]),
    entries: (session) => entriesIn(log, session),
    events: async (session) => (await entriesIn(log, session)).flatMap(({ events }) => events),
    has: (session, entries) => until(async () => (await entriesIn(log, session)).length >= entries),
    async close() {
      kernel.questions.stop()
      kernel.subscribers.close()
      await kernel.directory.close()
    },
  }
}

/** A caller that may do these things with every session. */
export function callerWith(subject: string, ...allowed: readonly Action[]): Caller {
  return {
    subject,
    via: 'key',
    expiresAt: undefined,
    agent: undefined,
    readsDialect: undefined,
    can: (action) => allowed.includes(action),
    canCreate: () => allowed.includes('publish'),
    canSome: (action) => allowed.includes(action),
  }
}
