import type { RunProcess } from '@sluice/protocol'
import type { Kernel } from '../../kernel/kernel.ts'
import { type EndPatience, endDurably } from './end-durably.ts'
import { endEvent, failedBecause } from './run-events.ts'
import type { RunMark, RunStore } from './run-store.ts'

const ending = failedBecause('gateway_restarted', 'The gateway was restarted while the agent ran.')

interface Recovery {
  readonly store: RunStore
  readonly stopping: AbortSignal
  /** Resolves to whether there was such a process. */
  readonly endProcess: ((process: RunProcess) => Promise<boolean>) | undefined
}

/**
 * Ends the runs that a crashed gateway left: first their processes, then their sessions. Repeats what the
 * store refuses in the background.
 */
export async function recoverRuns(kernel: Kernel, recovery: Recovery): Promise<void> {
  const { store, stopping } = recovery
  const marks = await store.list()
  await Promise.all(marks.map((mark) => endProcess(kernel, recovery, mark)))
  await Promise.all(
    marks.map(
      (mark) =>
        new Promise<void>((resolve) => {
          void endSession(kernel, mark, { store, stopping, onWait: resolve }).then(resolve)
        }),
    ),
  )
  if (marks.length > 0) kernel.logger.info({ count: marks.length }, 'runs were cut off by a restart')
}

async function endProcess(
  kernel: Kernel,
  recovery: Recovery,
  { session, agent, process }: RunMark,
): Promise<void> {
  if (process === undefined) return
  try {
    const wasThere = (await recovery.endProcess?.(process)) ?? false
    if (wasThere) kernel.logger.warn({ session, agent }, 'a process of a run was left behind, and is ended')
  } catch (error) {
    kernel.logger.error({ session, agent, err: error }, 'a process of a run could not be ended')
  }
}

async function endSession(
  kernel: Kernel,
  mark: RunMark,
  { store, ...patience }: Pick<Recovery, 'store' | 'stopping'> & Pick<EndPatience, 'onWait'>,
): Promise<void> {
  const { clock, logger } = kernel
  try {
    // Undefined if the crash came before its first entry.
    const session = await kernel.directory.find(mark.session).catch(() => undefined)
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
