import type { Log } from '@sluice/log'
import { type Clock, isJsonObject, type JsonObject, type JsonValue } from '@sluice/protocol'
import { createKeptStream } from '../../kernel/kept-stream.ts'

/** How a gateway stands with a producer that it follows. */
export interface UpstreamPlace {
  readonly subscription?: string
  /** Whether the subscription says that questions can be answered. */
  readonly offers?: boolean
  /** The producer knows no handshake. */
  readonly isPlain?: boolean
  /** The last event that is stored here. */
  readonly lastEventId?: string
}

/** What is kept of the producer that a gateway follows, durably. */
export interface UpstreamStore {
  /** Reads what is there. Everything else comes behind it. */
  load(): Promise<void>
  readonly place: UpstreamPlace
  /** Changes the place; undefined removes. It is durable when it resolves; of several changes that wait the last counts. */
  move(change: { readonly [Key in keyof UpstreamPlace]: UpstreamPlace[Key] | undefined }): Promise<void>
  /** The sessions that are followed and have not ended, each with the last entry whose answers have been passed on. */
  readonly sessions: ReadonlyMap<string, number>
  keep(session: string, passedSeq: number): Promise<void>
  forget(session: string): Promise<void>
}

const markPrefix = 'upstream-session/'

/** `name` is that of a stream of the log which is no session. */
export function createUpstreamStore(log: Log, clock: Clock, name: string, url: string): UpstreamStore {
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
