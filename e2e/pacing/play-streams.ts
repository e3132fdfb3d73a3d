import {
  createSessionState,
  type Entry,
  foldEntry,
  type JsonObject,
  type SessionState,
  startCursor,
} from '@sluice/protocol'
import { createDrivenClock, type DrivenClock } from '@sluice/protocol/testing'
import { isSameFilters } from '../../packages/gateway/src/features/aaep/negotiate-filters.ts'
import {
  createPacedSession,
  type PacedSession,
} from '../../packages/gateway/src/features/aaep/paced-session.ts'
import { addEntry } from '../../packages/gateway/src/features/aaep/pacing/add-entry.ts'
import { enterPaced } from '../../packages/gateway/src/features/aaep/pacing/enter-paced.ts'
import {
  countWaiting,
  type PacerOptions,
  placeOf,
  startPacing,
} from '../../packages/gateway/src/features/aaep/pacing/pacer.ts'
import { createTextCutter } from '../../packages/gateway/src/features/aaep/pacing/text-cutter.ts'
import type { Emission, Place } from '../../packages/gateway/src/features/aaep/registry-history.ts'
import { createStream, type Stream } from '../../packages/gateway/src/features/aaep/stream.ts'
import type { Terms } from '../../packages/gateway/src/features/aaep/terms.ts'
import { createSessionTime } from '../../packages/gateway/src/kernel/sessions/session-time.ts'
import {
  createTestConnection,
  type TestConnection,
} from '../../packages/gateway/src/testing/test-connection.ts'
import { pacedSpec } from './simulate.ts'

/** One session of a play: its entries, each at its time. */
export interface Script {
  readonly id: string
  readonly entries: readonly Entry[]
}

/** What happens at a step of a play, besides the next entry. */
export type Trouble =
  | { readonly type: 'stall' }
  | { readonly type: 'unstall' }
  | { readonly type: 'renegotiate'; readonly terms: Terms }

export interface PlayOptions {
  readonly scripts: readonly Script[]
  readonly terms: Terms
  readonly maxItems: number
  readonly sliceBytes: number
  readonly isJournaled: boolean
  /** By the number of the step that it precedes. */
  readonly troubles?: ReadonlyMap<number, Trouble>
  /** Where each session is joined, if all of its entries exist from the start. */
  readonly places?: ReadonlyMap<string, Place>
}

/** An event as sent, when, and whether it is exempt from the rate. */
export interface Played {
  readonly session: string
  readonly id: string
  readonly cursor: Place
  readonly value: JsonObject
  readonly at: number
  readonly isFree: boolean
  /** The terms under which it was sent. */
  readonly terms: Terms
}

export interface Play {
  readonly played: readonly Played[]
  readonly connection: TestConnection
  readonly clock: DrivenClock
  readonly journal: readonly Emission[]
  /** The most items that a session ever held. */
  readonly maxHeld: number
}

const startAt = 1_800_000_000_000

/** Plays sessions to one stream on a driven clock, to the end. */
export async function playStreams(options: PlayOptions): Promise<Play> {
  const { scripts } = options
  const clock = createDrivenClock(startAt)
  const connection = createTestConnection()
  const time = createSessionTime(clock)
  const cutter = createTextCutter()
  const journal: Emission[] = []
  const played: Played[] = []
  const free = new Map<string, boolean>()
  const joining = new Set<string>()
  let { terms } = options
  let maxHeld = 0
  const pacingOf = (): PacerOptions => ({
    terms,
    spec: pacedSpec,
    cutter,
    mintsIds: true,
    tailor: (frame) => frame,
  })
  const stream: Stream = createStream({
    clock,
    connection: {
      ...connection,
      write(events) {
        for (const { id, session, cursor, data } of events)
          played.push({
            session,
            id,
            cursor,
            value: JSON.parse(data) as JsonObject, // AAEP encodes objects
            at: clock.now(),
            isFree: free.get(`${session} ${id}`) ?? false,
            terms,
          })
        return connection.write(events)
      },
    },
    maxEventsPerSecond: terms.maxEventsPerSecond,
    journal: options.isJournaled
      ? async (events) => {
          journal.push(...events)
        }
      : undefined,
    isComplete: () => joining.size === 0,
    onSent: () => {},
    onClosed: () => {},
  })

  const isAllThere = options.places !== undefined
  const lengths = new Map(scripts.map(({ id, entries }) => [id, isAllThere ? entries.length : 0]))
  const join = async ({ id, entries }: Script, place: Place): Promise<void> => {
    joining.add(id)
    const said = (): readonly Entry[] => entries.slice(0, lengths.get(id))
    const session = {
      id,
      time,
      get lastSeq() {
        return said().length - 1
      },
      get isEnded() {
        return (
          said()
            .at(-1)
            ?.events.some(({ kind }) => kind === 'session-end') ?? false
        )
      },
      read: async (from: number, bytes: number) => said().slice(from, from + Math.ceil(bytes / 100)),
      entryAt: async (seq: number) => entries[seq],
      stateAt: async (seq: number) => stateOf(id, entries.slice(0, seq + 1)),
    }
    const entered = await enterPaced(pacedSpec, session, place)
    if (entered === undefined) throw new Error('no way in')
    const { rest } = entered
    const started = startPacing(entered, pacingOf())
    const paced = createPacedSession({
      session,
      pacer: rest === undefined ? started : addEntry(started, rest.entry, rest.part),
      sliceBytes: options.sliceBytes,
      maxItems: options.maxItems,
      onMore: () => {
        maxHeld = Math.max(maxHeld, countWaiting(paced.pacer))
        stream.wake(id)
      },
      onFailed: stream.reset,
      onClosed: () => {},
    })
    stream.add(watched(paced, (event, isFree) => free.set(`${id} ${event}`, isFree)))
    joining.delete(id)
    stream.pump()
  }
  const rejoin = async ({ session, pacer }: PacedSession): Promise<void> => {
    const script = scripts.find(({ id }) => id === session.id)
    const place = placeOf(pacer)
    joining.add(session.id)
    stream.remove(session.id)
    if (script !== undefined) await join(script, place)
  }
  for (const script of scripts) await join(script, options.places?.get(script.id) ?? startCursor)
  stream.start()
  await turns()

  const unstall = async (): Promise<void> => {
    connection.unstall()
    if (stream.isStalled) stream.drained()
    await turns()
  }
  const steps = isAllThere
    ? []
    : scripts.flatMap(({ id, entries }) => entries.map((entry) => ({ id, entry })))
  steps.sort((a, b) => a.entry.at - b.entry.at)
  for (const [index, { id, entry }] of steps.entries()) {
    await pass(clock, entry.at - clock.now())
    const trouble = options.troubles?.get(index)
    if (trouble?.type === 'stall') connection.stall()
    else if (trouble?.type === 'unstall') await unstall()
    else if (trouble?.type === 'renegotiate') {
      const { filters } = terms
      terms = trouble.terms
      const sessions = [...stream.sessions()]
      const rejoined = isSameFilters(filters, terms.filters) ? [] : sessions.map(rejoin)
      if (rejoined.length === 0) for (const paced of sessions) paced.renegotiate(pacingOf())
      stream.setRate(terms.maxEventsPerSecond)
      await Promise.all(rejoined)
      await stream.settled()
    }
    lengths.set(id, (lengths.get(id) ?? 0) + 1)
    stream.accept(id, [entry])
    await turns()
  }
  await unstall()
  for (let round = 0; round < 2000 && connection.end === undefined; round++) await pass(clock, 1000)
  return { played, connection, clock, journal, maxHeld }
}

/** Lets time pass, along with everything that happens meanwhile. */
async function pass(clock: DrivenClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 250) {
    clock.advance(Math.min(left, 250))
    await turns()
  }
}

/** Lets everything happen that takes no time. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 150; turn++) await Promise.resolve()
}

function stateOf(id: string, entries: readonly Entry[]): SessionState {
  return entries.reduce((state, entry) => foldEntry(state, entry), createSessionState({ id }))
}

/** The same session, but it reports for each event whether it is exempt from the rate. */
function watched(paced: PacedSession, tell: (id: string, isFree: boolean) => void): PacedSession {
  const { step } = paced
  paced.step = (input) => {
    const stepped = step(input)
    if (stepped.type === 'emit') tell(stepped.frame.id, stepped.frame.isFree)
    return stepped
  }
  return paced
}
