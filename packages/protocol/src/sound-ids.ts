import type { SluiceEvent } from './events.ts'

/** True if the ids that link an event to others are well-formed Unicode. */
export function hasSoundIds(event: SluiceEvent): boolean {
  switch (event.kind) {
    case 'text-delta':
    case 'text-end':
    case 'text-reset':
    case 'part-add':
      return event.output.isWellFormed()
    case 'tool-call':
    case 'tool-call-delta':
    case 'tool-result':
      return event.call.isWellFormed()
    case 'question-open':
    case 'question-close':
      return event.token.isWellFormed()
    case 'session-start':
    case 'session-end':
    case 'state-change':
    case 'progress':
    case 'message':
    case 'sources':
    case 'handoff':
    case 'notice':
    case 'usage':
    case 'state-data':
    case 'unknown':
      return true
  }
}

/**
 * The event with ids that every dialect can write. Most dialects would turn each half of a surrogate pair
 * into U+FFFD, and two ids that differ only in such a half would become one.
 */
export function withSoundIds(event: SluiceEvent): SluiceEvent {
  if (hasSoundIds(event)) return event
  if ('output' in event) return { ...event, output: toSoundId(event.output) }
  if ('call' in event) return { ...event, call: toSoundId(event.call) }
  return 'token' in event ? { ...event, token: toSoundId(event.token) } : event
}

/** Replaces each lone surrogate by U+FFFD and its number. */
function toSoundId(id: string): string {
  return id.replace(/\p{Surrogate}/gu, (half) => `\ufffd${half.charCodeAt(0).toString(16)}`)
}
