import type { Level } from '../check.ts'
import { judgeAll, type Result } from '../judge.ts'
import { examineProducer } from '../producer/examine-producer.ts'
import { producerChecks } from '../producer-checks.ts'
import { createWakefulClock } from '../wakeful-clock.ts'
import { type Behaviour, healthy } from './behaviour.ts'
import { startProducer } from './broken-producer.ts'

export interface SuiteSettings {
  readonly transport: 'sse' | 'ws'
  readonly level?: Level
  readonly isReference?: boolean
}

/** Runs the suite against a producer that is healthy but for `defect`. */
export async function runSuite(
  defect: Partial<Behaviour>,
  { transport, level = 3, isReference = false }: SuiteSettings,
): Promise<readonly Result[]> {
  const clock = createWakefulClock()
  const producer = await startProducer({ ...healthy, ...defect }, clock, isReference)
  try {
    const transcript = await examineProducer({
      url: producer.url,
      trigger: `POST ${producer.url}/sessions {"user_message":"Plan a weekend."}`,
      transport,
      level,
      slowRate: 10,
      times: { runMs: 6000, answerMs: 6000, settleMs: 150, toleranceMs: 1500, maxTimeoutMs: 5000 },
      clock,
    })
    return judgeAll(producerChecks, transcript, level)
  } finally {
    await producer.close()
  }
}

/** A line for each check that found something. */
export function breachesIn(results: readonly Result[]): readonly string[] {
  return results.flatMap(({ id, judgement }) =>
    judgement.verdict === 'failed' || judgement.verdict === 'warning'
      ? [`${judgement.verdict} ${id} ${JSON.stringify(judgement.evidence[0])}`]
      : [],
  )
}
