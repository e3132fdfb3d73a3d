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

/** The mark that journals are found by at start. */
export const journalMark = 'aaep-journal'

/**
 * A durable record of what was sent on a subscription: its last emissions (4096 by default), and the places
 * of its sessions before them.
 */
export interface Journal {
  /** Appends the emissions, all or none; they are durable when it resolves. */
  journal(emissions: readonly Emission[]): Promise<void>
  /**
   * The place in each session right after an emission, or after the last one if none is named. Undefined when
   * the emission is not among the last ones.
   */
  places(lastEventId?: string): Promise<Places | undefined>
  /** The same, and forgets the later emissions, because they will be emitted again. */
  rewind(lastEventId: string): Promise<Places | undefined>
  /**
   * The place in each session before the oldest emission that is kept. Forgets all emissions; they will be
   * emitted again.
   */
  begin(): Promise<Places>
  /** Forgets every emission; the sessions are at these places. */
  restart(places: Places): Promise<void>
}

export interface JournalParts {
  readonly log: Log
  readonly clock: Clock
  /** The part of the subscription's id after `sub_`. */
  readonly name: string
  /** The number of the stream that holds it; undefined when nothing was written yet. */
  readonly generation: number | undefined
  readonly ringSize: number
}

function journalStreamOf(name: string, generation: number): string {
  return `subj_${name}x${generation}`
}

/** The subscription and the number in the name of a journal's stream. */
export function parseJournalStream(
  stream: string,
): { readonly name: string; readonly generation: number } | undefined {
  const [, name, generation] = /^subj_([A-Za-z0-9]+)x(\d{1,15})$/.exec(stream) ?? []
  return name === undefined ? undefined : { name, generation: Number(generation) }
}

/**
 * A journal in numbered streams of the log, of which only the highest counts. When it has grown, one append
 * creates the next stream with everything that still matters, and only then is the previous one deleted:
 * whichever of them a crash leaves, the highest is complete.
 */
export function createJournal({ log, clock, name, generation: first, ringSize }: JournalParts): Journal & {
  remove(): Promise<void>
} {
  let generation = first
  let stream: KeptStream | undefined
  /** The size of the stream's content; undefined until it was read, and after a failure. */
  let size: Size | undefined
  let queue: Promise<unknown> = Promise.resolve()

  /** One at a time: what one call reads must not change before it writes. */
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
    // A failed append may have created the next stream anyway.
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

  /** Replaces the journal with these records. */
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
