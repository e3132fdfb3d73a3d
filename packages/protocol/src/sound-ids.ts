import type { SluiceEvent } from './events.ts'

/** True when the ids by which an event is matched with others are well-formed Unicode. */
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
    default:
      return true
  }
}

/**
 * The event with ids that every contract can write. Most would turn each half of a surrogate pair into U+FFFD, and two
 * ids that differ in such a half alone would become one.
 */
export function withSoundIds(event: SluiceEvent): SluiceEvent {
  if (hasSoundIds(event)) return event
  if ('output' in event) return { ...event, output: toSoundId(event.output) }
  if ('call' in event) return { ...event, call: toSoundId(event.call) }
  return 'token' in event ? { ...event, token: toSoundId(event.token) } : event
}

/** Each lone surrogate is replaced by U+FFFD and its number. */
function toSoundId(id: string): string {
  return id.replace(/\p{Surrogate}/gu, (half) => `\ufffd${half.charCodeAt(0).toString(16)}`)
}
