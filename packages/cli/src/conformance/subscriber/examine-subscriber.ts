import type { Clock } from '@sluice/protocol'
import { playScript, type ScriptTimes } from './play-script.ts'
import { startScriptedProducer } from './scripted-producer.ts'
import { createRecord, type SubscriberRecord } from './subscriber-record.ts'

export interface SubscriberOptions {
  readonly port: number
  /** A person sits at the subscriber and follows the instructions. */
  readonly isInteractive: boolean
  readonly times: ScriptTimes
  readonly toleranceMs: number
  readonly clock: Clock
  /** Told the address when it can be connected to. */
  onListening(url: string): void
  /** Told what the person is to do. */
  tell(sentence: string): void
}

export const defaultScriptTimes: ScriptTimes = { arriveMs: 120_000, questionMs: 60_000, settleMs: 2_000 }

/** Plays a producer to one subscriber, and answers what that did. */
export async function examineSubscriber(options: SubscriberOptions): Promise<SubscriberRecord> {
  const { port, isInteractive, times, toleranceMs, clock, tell } = options
  const record = createRecord(isInteractive, toleranceMs)
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
  const producer = await startScriptedProducer(port, record, clock, wake)
  try {
    options.onListening(producer.url)
    await playScript({ seat: producer.seat, record, clock, times, until, tell })
    return record
  } finally {
    await producer.close()
  }
}
