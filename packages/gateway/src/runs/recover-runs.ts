import type { Gate } from '../gate.ts'
import { type EndPatience, endDurably } from './end-durably.ts'
import { endEvent, failedBecause } from './run-events.ts'
import type { RunMark, RunStore } from './run-store.ts'

const ending = failedBecause('gateway_restarted', 'The gateway was restarted while the agent ran.')

/**
 * Ends what is left of the runs of a gateway that is no more: first their processes, then their sessions. What the store
 * does not take at once is tried again, and nobody waits for that.
 */
export async function recoverRuns(gate: Gate, store: RunStore, stopping: AbortSignal): Promise<void> {
  const marks = await store.list()
  await Promise.all(marks.map((mark) => endProcess(gate, mark)))
  await Promise.all(
    marks.map(
      (mark) =>
        new Promise<void>((resolve) => {
          void endSession(gate, store, mark, { stopping, onWait: resolve }).then(resolve)
        }),
    ),
  )
  if (marks.length > 0) gate.logger.info({ count: marks.length }, 'runs were cut off by a restart')
}

async function endProcess(gate: Gate, { session, agent, process }: RunMark): Promise<void> {
  if (process === undefined) return
  try {
    const wasThere = (await gate.endProcess?.(process)) ?? false
    if (wasThere) gate.logger.warn({ session, agent }, 'a process of a run was left behind, and is ended')
  } catch (error) {
    gate.logger.error({ session, agent, err: error }, 'a process of a run could not be ended')
  }
}

async function endSession(
  gate: Gate,
  store: RunStore,
  mark: RunMark,
  patience: Pick<EndPatience, 'stopping' | 'onWait'>,
): Promise<void> {
  const { clock, logger } = gate
  try {
    // Undefined where the crash came before its first entry.
    const session = await gate.directory.find(mark.session).catch(() => undefined)
    const end = endEvent(ending, undefined, undefined)
    const source = { dialect: 'sluice' }
    const isStored =
      session === undefined ||
      (await endDurably(
        session,
        { before: [], end, direction: 'system', source },
        { clock, logger, ...patience },
      ))
    if (isStored) await store.drop(mark.session)
  } catch (error) {
    logger.error({ session: mark.session, err: error }, 'a run that was cut off could not be ended')
  }
}
