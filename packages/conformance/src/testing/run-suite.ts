import type { Level } from '../check.ts'
import { judgeProducer } from '../producer/judge-producer.ts'
import type { Report } from '../report.ts'
import { type Behaviour, healthy } from './behaviour.ts'
import { startProducer } from './broken-producer.ts'
import { createVirtualClock } from './virtual-clock.ts'

export interface SuiteSettings {
  readonly transport: 'sse' | 'ws'
  readonly level?: Level
  readonly isReference?: boolean
}

/** Runs the suite against a producer that is healthy except for `defect`. */
export async function runSuite(
  defect: Partial<Behaviour>,
  { transport, level = 3, isReference = false }: SuiteSettings,
): Promise<Report> {
  const clock = createVirtualClock()
  const producer = await startProducer({ ...healthy, ...defect }, clock, { isReference })
  try {
    return await judgeProducer({
      url: producer.url,
      trigger: `POST ${producer.url}/sessions {"user_message":"Plan a weekend."}`,
      transport,
      level,
      slowRate: 10,
      times: { runMs: 6000, answerMs: 6000, settleMs: 150, toleranceMs: 1500, maxTimeoutMs: 5000 },
      clock,
    })
  } finally {
    await producer.close()
  }
}

/** One line per check that found a breach. */
export function breachesIn({ checks }: Report): readonly string[] {
  return checks.flatMap((result) =>
    result.verdict === 'failed' || result.verdict === 'warning'
      ? [`${result.verdict} ${result.id} ${JSON.stringify(result.evidence[0])}`]
      : [],
  )
}

/** The ids of the checks that were not run. */
export function notRunIn({ checks }: Report): readonly string[] {
  return checks.filter(({ verdict }) => verdict === 'not run').map(({ id }) => id)
}
