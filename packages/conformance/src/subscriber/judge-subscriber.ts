import { type Clock, systemClock } from '@sluice/protocol'
import { createReport, type Report, type Selection } from '../report.ts'
import { playScript, type ScriptTimes } from './play-script.ts'
import { startScriptedProducer } from './scripted-producer.ts'
import { subscriberChecks } from './subscriber-checks.ts'
import { createRecord, type SubscriberRecord } from './subscriber-record.ts'

export interface SubscriberOptions extends Selection {
  /** The port on 127.0.0.1; 0 selects any free port. */
  readonly port: number
  /** A person sits at the subscriber and follows the instructions; false by default. */
  readonly isInteractive?: boolean | undefined
  readonly times?: Partial<ScriptTimes> | undefined
  /** The allowance for network and scheduler delays when times are compared. */
  readonly toleranceMs?: number | undefined
  /** The system clock by default. */
  readonly clock?: Clock | undefined
  /** Called with the address as soon as the subscriber can connect. */
  onListening(url: string): void
  /** Called with the next instruction for the person. */
  onInstruction?(sentence: string): void
}

const defaultTimes: ScriptTimes = { arriveMs: 120_000, questionMs: 60_000, settleMs: 2_000 }
const defaultToleranceMs = 2_000

/**
 * Plays a scripted producer to one subscriber and judges its behaviour. Rejects with `address_in_use` if the
 * port is taken.
 */
export async function judgeSubscriber(options: SubscriberOptions): Promise<Report> {
  const recorded = await examine(options)
  return createReport({ subject: 'the subscriber', recorded, checks: subscriberChecks, selection: options })
}

async function examine(options: SubscriberOptions): Promise<SubscriberRecord> {
  const { port, isInteractive = false, clock = systemClock, toleranceMs = defaultToleranceMs } = options
  const times = { ...defaultTimes, ...options.times }
  const record = createRecord({ isInteractive, toleranceMs })
  const waiters = new Set<() => void>()
  const wake = (): void => {
    for (const look of waiters) look()
  }
  const until = (holds: () => boolean, timeoutMs: number): Promise<boolean> =>
    new Promise((resolve) => {
      const end = (answer: boolean): void => {
        timer.clear()
        waiters.delete(look)
        resolve(answer)
      }
      const look = (): void => {
        if (holds()) end(true)
      }
      const timer = clock.after(timeoutMs, () => end(false))
      waiters.add(look)
      look()
    })
  const producer = await startScriptedProducer({ port, record, clock, onChange: wake })
  const tell = (sentence: string): void => options.onInstruction?.(sentence)
  try {
    options.onListening(producer.url)
    await playScript({ feed: producer.feed, record, clock, times, until, tell })
    return record
  } finally {
    await producer.close()
  }
}
