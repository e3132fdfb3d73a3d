import type { Entry, JsonValue } from '@sluice/protocol'

/** Open questions are marks of the log, found again at start without reading sessions. */
export function questionMarks(
  entries: readonly { readonly entry: Entry }[],
): Readonly<Record<string, JsonValue>> | undefined {
  let marks: Record<string, JsonValue> | undefined
  for (const { entry } of entries) {
    for (const event of entry.events) {
      if (event.kind !== 'question-open' && event.kind !== 'question-close') continue
      marks ??= {}
      marks[`question/${event.token}`] =
        event.kind === 'question-close'
          ? null
          : { seq: entry.seq, at: entry.at, timeoutMs: event.timeoutMs ?? null }
    }
  }
  return marks
}
