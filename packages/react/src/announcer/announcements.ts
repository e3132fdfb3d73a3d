import type { Client } from '@sluice/client'
import { type Clock, type SluiceError, systemClock } from '@sluice/protocol'
import type { AaepFrame } from '@sluice/protocol/dialects'
import {
  createNarrator,
  fill,
  narrationPhrasesFor,
  type Rank,
  ranks,
  tellPlace,
  tellTimeLeft,
  toSentence,
  type Utterance,
} from '@sluice/protocol/narrate'
import { createSpeaker, type Speaker } from '../speech/speaker.ts'
import type { Speech, Voice } from '../speech/voice.ts'
import { type AnnouncementsSnapshot, createAnnouncementList } from './announcement-list.ts'
import { type AnnouncementTerms, isSameTerms } from './announcement-terms.ts'
import { type Following, followSession } from './follow-session.ts'
import { createReleases } from './releases.ts'

export interface AnnouncementsOptions extends AnnouncementTerms {
  readonly client: Client
  readonly session: string
  /** Where to start. Default `start`. */
  readonly from?: 'start' | 'now' | undefined
  readonly clock?: Clock | undefined
}

/** A session for the ear: whole sentences in order, each once, across reconnections. */
export interface Announcements {
  subscribe(listener: () => void): () => void
  getSnapshot(): AnnouncementsSnapshot
  /** Subscribes to the session; nothing happens before. After a stop it continues from now. */
  start(): void
  /**
   * Stops announcing, unless start() follows immediately. Resolves when the subscription is closed or lost.
   */
  stop(): Promise<void>
  /** Announces the last utterance again, with the remaining time if it was a question. */
  repeat(): void
  /**
   * Drops what waits for the voice, except for critical utterances and the end. Returns how many it dropped.
   */
  skip(): number
  /** Announces the agent, its state, running tools and open questions. */
  whereAmI(): void
  /** Applies to later announcements. Omitted terms stay unchanged. */
  setTerms(changes: Partial<AnnouncementTerms>): void
  /** Lets this voice speak. Without one, live regions announce what the previous voice has not spoken. */
  setVoice(voice: Voice | undefined): void
}

/** Hours of speech. Beyond that, the session waits at the gateway, which loses nothing. */
const maxWaiting = 10_000
/** A region must have become live before anything is added to it. */
const settleMs = 100

/** Does not connect before start(). */
export function createAnnouncements(options: AnnouncementsOptions): Announcements {
  const { client, session, from = 'start', clock = systemClock } = options
  const { verbosity, rateWpm, languages, load } = options
  let terms: AnnouncementTerms = { verbosity, rateWpm, languages, load }
  let phrases = narrationPhrasesFor(languages)
  let narrator = createNarrator({ phrases, verbosity })
  const list = createAnnouncementList()
  const releases = createReleases(clock, release)
  const shown = new WeakSet<Utterance>()
  let speaker: Speaker | undefined
  let following: Following | undefined
  let isWanted = false
  let hasHeard = false
  let isOver = false
  let last: Utterance | undefined
  let makeRoom = (): void => {}

  function toSpeech(utterance: Utterance): Speech {
    const { question, text, language = phrases.language } = utterance
    const left = question === undefined ? '' : tellTimeLeft(question, clock.now(), phrases)
    return { text: left === '' ? text : `${text} ${left}`, language, rateWpm: terms.rateWpm }
  }

  function tell(utterance: Utterance, rank: Rank): void {
    const urgency = urgencyOf(utterance, rank)
    releases.add(utterance, urgency)
    speaker?.say(utterance, urgency)
  }

  function tellAll(utterances: readonly Utterance[]): void {
    for (const utterance of utterances) tell(utterance, ranks.session)
  }

  function release(utterance: Utterance, rank: Rank): void {
    const { text, language } = toSpeech(utterance)
    if (rank !== ranks.key) last = utterance
    shown.add(utterance)
    list.append({ text, language, isCritical: utterance.isCritical === true })
    noteEnd()
    makeRoom()
  }

  function noteEnd(): void {
    if (isOver && releases.waiting === 0) list.update({ hasEnded: true })
  }

  async function hear(event: AaepFrame): Promise<boolean> {
    hasHeard = true
    tellAll(narrator.hear(event))
    while (isWanted && Math.max(releases.waiting, speaker?.waiting ?? 0) >= maxWaiting)
      await new Promise<void>((resolve) => {
        makeRoom = resolve
      })
    return narrator.place.hasEnded
  }

  function end(): void {
    tellAll(narrator.end())
    if (!narrator.place.hasEnded) tell({ text: phrases.ended, isKept: true }, ranks.session)
    isOver = true
    noteEnd()
  }

  function fail(error: SluiceError): void {
    // Both the answer and the events report a refused change of terms.
    if (list.getSnapshot().error === error) return
    list.update({ error })
    tellAll(narrator.end())
    const text = fill(phrases.error, { text: toSentence(error.message, phrases) })
    tell({ text, isCritical: true, isKept: true }, ranks.session)
  }

  /** Switches to live regions, which first announce what the voice left unspoken. */
  function goLive(left: readonly Utterance[]): void {
    speaker = undefined
    const spokenUpTo = list.getSnapshot().utterances.at(-1)?.id ?? 0
    list.update({ isSpoken: false, spokenUpTo })
    releases.hold(settleMs)
    // Utterances that were not shown yet already wait in `releases`.
    for (const utterance of left.toReversed())
      if (shown.has(utterance)) releases.putBack(utterance, urgencyOf(utterance, ranks.session))
    makeRoom()
  }

  return {
    subscribe: list.subscribe,
    getSnapshot: list.getSnapshot,
    start() {
      isWanted = true
      if (following !== undefined) return
      isOver = false
      list.update({ error: undefined, hasEnded: false })
      narrator = createNarrator({ phrases, verbosity: terms.verbosity })
      const after = hasHeard ? 'now' : from
      following = followSession({
        ...{ client, session, after, terms, clock },
        ...{ hear, onEnd: end, onFailure: fail },
      })
    },
    async stop() {
      isWanted = false
      // When React runs an effect twice, a start follows the stop immediately.
      await undefined
      if (isWanted || following === undefined) return
      const stopped = following
      following = undefined
      releases.clear()
      speaker?.clear()
      makeRoom()
      await stopped.close()
    },
    repeat() {
      const again = speaker?.last ?? last
      speaker?.breakOff()
      if (again === undefined) tell({ text: phrases.nothingToRepeat }, ranks.key)
      else tell(again, ranks.asked)
    },
    skip: () => speaker?.skip() ?? 0,
    whereAmI() {
      const { place, questions } = narrator
      const lines = speaker === undefined ? {} : { lines: speaker.waiting }
      const text = tellPlace(place, { questions: questions.length, ...lines }, phrases)
      tell({ text: text === '' ? phrases.nothingToRepeat : text }, ranks.key)
    },
    setTerms(changes) {
      const next = { ...terms, ...changes }
      if (isSameTerms(next, terms)) return
      terms = next
      phrases = narrationPhrasesFor(terms.languages)
      narrator.setTone({ phrases, verbosity: terms.verbosity })
      if (!isOver) following?.setTerms(terms)
    },
    setVoice(voice) {
      const left = speaker?.close() ?? []
      if (voice === undefined) {
        if (speaker !== undefined) goLive(left)
        return
      }
      const onFailure = (unspoken: readonly Utterance[]): void => {
        list.update({ hasVoiceFailed: true })
        goLive(unspoken)
      }
      speaker = createSpeaker({ voice, toSpeech, onMove: () => makeRoom(), onFailure })
      for (const utterance of left) speaker.say(utterance, urgencyOf(utterance, ranks.session))
      list.update({ isSpoken: true, hasVoiceFailed: false })
    },
  }
}

function urgencyOf({ isCritical }: Utterance, rank: Rank): Rank {
  return isCritical === true && rank > ranks.critical ? ranks.critical : rank
}
