import type { Log } from '@sluice/log'
import { type Clock, isJsonObject, type JsonValue, omitUndefined, type RunProcess } from '@sluice/protocol'
import { createKeptStream } from '../../kernel/kept-stream.ts'

/** A run that had not ended when this was stored. */
export interface RunMark {
  readonly session: string
  readonly agent: string
  /** Absent before the run has a process, and for agents without one. */
  readonly process?: RunProcess
}

/** A durable list of the unfinished runs, so that they are found after a crash. */
export interface RunStore {
  list(): Promise<readonly RunMark[]>
  /** Durable when it resolves; marks that wait are stored together. */
  keep(mark: RunMark): Promise<void>
  drop(session: string): Promise<void>
}

const streamName = 'runs'
const prefix = 'run/'

export function createRunStore(log: Log, clock: Clock): RunStore {
  const stream = createKeptStream(log, clock, streamName)
  let waiting: Record<string, JsonValue> = {}
  let writing: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined

  const flush = (): Promise<void> => {
    const marks = waiting
    waiting = {}
    next = undefined
    return stream.append([], { marks })
  }

  const set = (session: string, value: JsonValue): Promise<void> => {
    waiting[prefix + session] = value
    if (next === undefined) {
      next = writing.then(flush)
      writing = next.catch(() => {})
    }
    return next
  }

  return {
    async list() {
      const marks = await log.marks(prefix)
      return marks.flatMap(({ session, name, value }) =>
        session === streamName ? (readMark(name.slice(prefix.length), value) ?? []) : [],
      )
    },
    keep: ({ session, agent, process }) =>
      set(session, omitUndefined({ agent, process: process === undefined ? undefined : { ...process } })),
    drop: (session) => set(session, null),
  }
}

function readMark(session: string, value: JsonValue): RunMark | undefined {
  if (!isJsonObject(value) || typeof value['agent'] !== 'string') return undefined
  const process = readProcess(value['process'])
  return omitUndefined({ session, agent: value['agent'], process })
}

function readProcess(value: JsonValue | undefined): RunProcess | undefined {
  if (!isJsonObject(value)) return undefined
  const { pid, startMark, marker } = value
  if (typeof pid !== 'number' || typeof startMark !== 'string' || typeof marker !== 'string') return undefined
  return { pid, startMark, marker }
}
