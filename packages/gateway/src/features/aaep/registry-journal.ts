import type { Log } from '@sluice/log'
import type { Clock } from '@sluice/protocol'
import { createKeptStream, type KeptStream } from '../../kernel/kept-stream.ts'
import {
  createHistory,
  type Emission,
  type History,
  indexOf,
  type JournalRecord,
  type Places,
  placesBehind,
  replay,
  toCompact,
  toPlacesRecord,
  toSentRecord,
} from './registry-history.ts'

/** The mark by which journals are found at start. */
export const journalMark = 'aaep-journal'

/** What went out on a subscription, durably: its last 4096 emissions and where its sessions stood before them. */
export interface Journal {
  /** Appends the emissions, all or none; they are durable when it resolves. */
  journal(emissions: readonly Emission[]): Promise<void>
  /**
   * Where each session stood right behind an emission, or behind the last one when none is named. Undefined when the
   * emission is unknown or not among the last 4096.
   */
  places(lastEventId?: string): Promise<Places | undefined>
  /** The same, and forgets what was emitted behind it, as it will be emitted again. */
  rewind(lastEventId: string): Promise<Places | undefined>
  /** Where each session stood before the oldest emission that is kept. Forgets them all, as they will be emitted again. */
  begin(): Promise<Places>
  /** Forgets every emission; the sessions stand at these places. */
  restart(places: Places): Promise<void>
}

export interface JournalParts {
  readonly log: Log
  readonly clock: Clock
  /** What stands behind `sub_` in the id of the subscription. */
  readonly name: string
  /** The stream that holds it; undefined when nothing was written yet. */
  readonly generation: number | undefined
  readonly ringSize: number
}

function journalStreamOf(name: string, generation: number): string {
  return `subj_${name}x${generation}`
}

/** The subscription and the number of a stream that holds a journal. */
export function parseJournalStream(
  stream: string,
): { readonly name: string; readonly generation: number } | undefined {
  const [, name, generation] = /^subj_([A-Za-z0-9]+)x(\d{1,15})$/.exec(stream) ?? []
  return name === undefined ? undefined : { name, generation: Number(generation) }
}

/**
 * A journal in streams of the log, of which the one with the highest number counts. When it has grown, one append makes
 * the next stream with all that still matters, and only then the one before is deleted: whichever of them a crash
 * leaves, the highest is complete.
 */
export function createJournal({ log, clock, name, generation: first, ringSize }: JournalParts): Journal & {
  /** Removes it. */
  remove(): Promise<void>
} {
  let generation = first
  let stream: KeptStream | undefined
  /** What the stream holds; undefined until it was read, and after a failure. */
  let size: Size | undefined
  let queue: Promise<unknown> = Promise.resolve()

  /** One at a time: what is read must not change before something is made of it. */
  function inTurn<T>(run: () => Promise<T>): Promise<T> {
    const done = queue.then(run).catch((error) => {
      stream = undefined
      size = undefined
      throw error
    })
    queue = done.catch(() => {})
    return done
  }

  async function open(): Promise<KeptStream | undefined> {
    if (stream !== undefined || generation === undefined) return stream
    // An append that failed may have made the next one all the same.
    if ((await log.head(journalStreamOf(name, generation + 1))) !== undefined) generation += 1
    stream = createKeptStream(log, clock, journalStreamOf(name, generation))
    return stream
  }

  async function load(): Promise<History> {
    const history = createHistory(ringSize)
    const opened = await open()
    if (opened !== undefined)
      for await (const value of opened.read()) replay(history, value as unknown as JournalRecord) // written below
    size = sizeOf(history)
    return history
  }

  /** Puts these records in the place of all others. */
  async function renew(records: readonly JournalRecord[]): Promise<void> {
    await open()
    const before = generation
    const next = (before ?? -1) + 1
    const made = createKeptStream(log, clock, journalStreamOf(name, next))
    await made.append(records, { marks: { [journalMark]: next } })
    generation = next
    stream = made
    const history = createHistory(ringSize)
    for (const record of records) replay(history, record)
    size = sizeOf(history)
    if (before !== undefined) await log.delete(journalStreamOf(name, before))
  }

  return {
    journal: (emissions) =>
      inTurn(async () => {
        if (emissions.length === 0) return
        const record = toSentRecord(emissions)
        const opened = await open()
        if (opened === undefined) return renew([record])
        size ??= sizeOf(await load())
        if (Math.max(size.emissions, size.records) >= 2 * ringSize)
          return renew([...toCompact(await load()), record])
        await opened.append([record])
        size = { emissions: size.emissions + emissions.length, records: size.records + 1 }
      }),
    places: (lastEventId) =>
      inTurn(async () => {
        const history = await load()
        if (lastEventId === undefined) return placesBehind(history, history.emissions.length)
        const index = indexOf(history, lastEventId)
        return index < 0 ? undefined : placesBehind(history, index + 1)
      }),
    rewind: (lastEventId) =>
      inTurn(async () => {
        const history = await load()
        const index = indexOf(history, lastEventId)
        if (index < 0) return undefined
        if (index < history.emissions.length - 1) {
          await (await open())?.append([{ rewind: lastEventId }])
          size = { emissions: index + 1, records: history.records + 1 }
        }
        return placesBehind(history, index + 1)
      }),
    begin: () =>
      inTurn(async () => {
        const history = await load()
        const places = placesBehind(history, Math.max(0, history.emissions.length - ringSize))
        if (history.emissions.length > 0) await renew([toPlacesRecord(places)])
        return places
      }),
    restart: (places) => inTurn(() => renew([toPlacesRecord(places)])),
    remove: () =>
      inTurn(async () => {
        await open()
        if (generation !== undefined) await log.delete(journalStreamOf(name, generation))
      }),
  }
}

interface Size {
  readonly emissions: number
  readonly records: number
}

function sizeOf({ emissions, records }: History): Size {
  return { emissions: emissions.length, records }
}
