import type { Log } from '@sluice/log'
import { type Clock, isJsonObject, type JsonObject, type JsonValue } from '@sluice/protocol'
import { createKeptStream } from '../../kernel/kept-stream.ts'

/** The state of following a producer. */
export interface UpstreamPlace {
  readonly subscription?: string
  /** Whether the subscription declares that questions can be answered. */
  readonly offers?: boolean
  /** The producer does not know the handshake. */
  readonly isPlain?: boolean
  /** The last event that is stored here. */
  readonly lastEventId?: string
}

/** The durable state of following a producer. */
export interface UpstreamStore {
  /** Loads the stored state. Must come before all other calls. */
  load(): Promise<void>
  readonly place: UpstreamPlace
  /**
   * Changes the place; undefined removes a field. Durable when it resolves; changes that wait are written
   * together.
   */
  move(change: { readonly [Key in keyof UpstreamPlace]: UpstreamPlace[Key] | undefined }): Promise<void>
  /** The followed sessions that have not ended, each with the last entry whose answers were passed on. */
  readonly sessions: ReadonlyMap<string, number>
  keep(session: string, passedSeq: number): Promise<void>
  forget(session: string): Promise<void>
}

const markPrefix = 'upstream-session/'

/** `name` is the stream of the log that holds the state; it is not a session. */
export function createUpstreamStore(
  log: Log,
  clock: Clock,
  { name, url }: { readonly name: string; readonly url: string },
): UpstreamStore {
  const stream = createKeptStream(log, clock, name)
  const sessions = new Map<string, number>()
  let place: UpstreamPlace = {}
  let writing: Promise<void> | undefined
  let waiting: Promise<void> | undefined

  const write = (): Promise<void> =>
    stream.append([], { info: { kind: 'upstream', url, place: toJson(place) } })

  const start = (): Promise<void> => {
    const written = write().finally(() => {
      if (writing === written) writing = undefined
    })
    writing = written
    return written
  }

  const mark = (session: string, value: JsonValue): Promise<void> =>
    stream.append([], { marks: { [markPrefix + session]: value } })

  return {
    get place() {
      return place
    },
    sessions,
    async load() {
      const found = (await log.head(name))?.info['place']
      if (isJsonObject(found)) place = readPlace(found)
      for (const { session, name: markName, value } of await log.marks(markPrefix))
        if (session === name && typeof value === 'number')
          sessions.set(markName.slice(markPrefix.length), value)
    },
    move(change) {
      place = readPlace({ ...toJson(place), ...change })
      if (writing === undefined) return start()
      waiting ??= writing
        .catch(() => {})
        .then(() => {
          waiting = undefined
          return start()
        })
      return waiting
    },
    async keep(session, passedSeq) {
      if (sessions.get(session) === passedSeq) return
      sessions.set(session, passedSeq)
      await mark(session, passedSeq)
    },
    async forget(session) {
      if (sessions.delete(session)) await mark(session, null)
    },
  }
}

function toJson(place: UpstreamPlace): JsonObject {
  return { ...place }
}

function readPlace(value: JsonObject): UpstreamPlace {
  const { subscription, offers, isPlain, lastEventId } = value
  return {
    ...(typeof subscription === 'string' ? { subscription } : {}),
    ...(typeof offers === 'boolean' ? { offers } : {}),
    ...(typeof isPlain === 'boolean' ? { isPlain } : {}),
    ...(typeof lastEventId === 'string' ? { lastEventId } : {}),
  }
}
