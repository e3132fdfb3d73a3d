import type { SluiceEvent } from '../../events.ts'
import { isSameJson, type JsonObject, type JsonValue } from '../../json.ts'
import { stringifyWellFormed } from '../../well-formed-json.ts'
import type { FrameBody } from './draft.ts'
import { callBody, closeBody, resultBody, stateBody } from './encode-activity.ts'
import { progressBody } from './encode-progress.ts'
import { handoffBody, questionBody } from './encode-question.ts'
import { endBody, startBody } from './encode-session.ts'
import type { SentenceKey } from './phrases/schema.ts'
import { allPhrases } from './phrases.generated.ts'
import { isText, type Reading } from './reading.ts'
import { createSpeaker, type Speaker } from './sentences.ts'
import { evidenceOf } from './sequence.ts'

const speakers: readonly Speaker[] = allPhrases.map(createSpeaker)

/**
 * Whether the type and the fields of a frame are those that AAEP has for `event`, which the frame carries.
 * Text that Sluice writes into a field that the event leaves empty may be in any of its languages.
 */
export function agreesWithFrame(event: SluiceEvent, reading: Reading): boolean {
  return speakers.some((speaker) => {
    const body = toBody(event, reading, speaker)
    return body !== undefined && isSaid(body, reading.frame) && isToldOutcome(event, body, reading.frame)
  })
}

/** The frame of a core event, except for what depends only on its place in the session. */
function toBody(
  event: SluiceEvent,
  { frame, session, meta }: Reading,
  speaker: Speaker,
): FrameBody | undefined {
  switch (event.kind) {
    case 'session-start': {
      const request = event.request ?? frame['request_text']
      const whole = isText(request) ? { ...event, request } : event
      return startBody({ foreign: undefined, context: undefined }, whole, speaker)
    }
    case 'session-end':
      return endBody(event, speaker)
    case 'state-change':
      return stateBody(evidenceOf(session), event, speaker)
    case 'progress':
      // The countdown is in the frame's meta.
      return progressBody({ ...event, meta }, speaker)
    case 'tool-call': {
      // An irreversible call that nobody confirmed omits its field.
      const accepted = frame['irreversible'] !== undefined
      return callBody({ accepted, asked: [], status: session.status }, event, speaker)
    }
    case 'tool-result': {
      // A message is a payload, so only its own field holds it.
      const message = event.message ?? frame['error_message']
      return resultBody(isText(message) ? { ...event, message } : event, { speaker, isNative: true })
    }
    case 'question-open':
      return questionBody(event, speaker)
    case 'question-close':
      return closeBody(event, speaker)
    case 'handoff':
      return handoffBody(event, speaker)
    case 'message':
    case 'text-delta':
    case 'text-end':
    case 'text-reset':
    case 'part-add':
    case 'tool-call-delta':
    case 'sources':
    case 'notice':
    case 'usage':
    case 'state-data':
    case 'unknown':
      return undefined
  }
}

function isSaid({ type, fields }: FrameBody, frame: JsonObject): boolean {
  if (type !== frame['type']) return false
  const written = JSON.parse(stringifyWellFormed(fields)) as JsonObject // it was an object
  for (const key in fields) if (!isSameJson(written[key], statedIn(frame, key))) return false
  return true
}

/** The frame's value of a field; `reversibility` can state `irreversible` too. */
function statedIn(frame: JsonObject, key: string): JsonValue | undefined {
  if (key === 'reversibility') return undefined
  if (key === 'irreversible' && frame['reversibility'] === 'irreversible') return true
  return frame[key]
}

const answers = sentencesOf(
  'questionWithdrawn',
  'questionAnswered',
  'requestAccepted',
  'requestRejected',
  'noAnswer',
  'noAnswerAccepted',
  'noAnswerRejected',
)
const failures = sentencesOf('failed', 'failedForNow', 'failedForGood', 'failedWithoutYou')
const rejections = sentencesOf('rejected')

function sentencesOf(...keys: readonly SentenceKey[]): ReadonlySet<JsonValue | undefined> {
  return new Set(speakers.flatMap((speaker) => keys.map((key) => speaker.say(key).normal)))
}

/**
 * AAEP states some outcomes only in the summary. If that is one of our sentences, it must be the one for this
 * event.
 */
function isToldOutcome(
  event: SluiceEvent,
  { spoken }: FrameBody,
  { summary_normal: told }: JsonObject,
): boolean {
  if (event.kind === 'question-close') return told === spoken?.normal || !answers.has(told)
  if (event.kind !== 'session-end') return true
  return event.outcome === 'rejected' ? !failures.has(told) : !rejections.has(told)
}
