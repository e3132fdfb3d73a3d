import type { Log } from '@sluice/log'
import { omitUndefined } from '@sluice/protocol'
import { dialects } from '@sluice/protocol/dialects'
import { createDrivenClock, type DrivenClock } from '@sluice/protocol/testing'
import { createRingBudget } from '../kernel/fan-out/ring-budget.ts'
import { createDirectory, type Directory } from '../kernel/sessions/directory.ts'
import type { StoredBytes } from '../kernel/sessions/stored-bytes.ts'

export interface TestDirectory {
  readonly directory: Directory
  readonly clock: DrivenClock
}

/** A directory of sessions on a log, as in a gateway. */
export function openTestDirectory(
  log: Log,
  {
    idleSessionMs = 60_000,
    openSessions = 100,
    stateWeight = 1e9,
    stored,
  }: {
    idleSessionMs?: number
    openSessions?: number
    stateWeight?: number
    stored?: StoredBytes
  } = {},
): TestDirectory {
  const clock = createDrivenClock()
  const directory = createDirectory({
    log,
    clock,
    budget: createRingBudget(1 << 20),
    limits: { sliceBytes: 1 << 16, ringBytes: 1 << 18, producersPerSession: 4 },
    dialectOf: (id) => dialects.find((dialect) => dialect.id === id),
    delivered: () => () => {},
    onAppended: () => {},
    idleSessionMs,
    openSessions,
    stateWeight,
    ...omitUndefined({ stored }),
  })
  return { directory, clock }
}
