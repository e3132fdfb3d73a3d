import { sentenceOf } from '../transcode/text.mjs'

const startAt = Date.UTC(2026, 0, 1)
const yearMs = 365 * 24 * 3600 * 1000
const chunkChars = 64
const chunksOfOutput = 200
// The seeds of texts in ASCII alone, so that a character is a code point and a byte.
const chunks = Array.from({ length: 97 }, (_, index) => index)
  .filter((seed) => seed % 8 !== 0)
  .map((seed) => JSON.stringify(sentenceOf(chunkChars, seed)))

/** Occurs once in each event, in any frame. */
export const eventMark = Buffer.from('"event_id"')

/**
 * Event `index` of an AAEP session that streams texts of 200 chunks: about 440 bytes, all clean. Producers that write to
 * one session at once each name their own texts and events.
 */
export function eventAt(session, index, producer = '') {
  // The order in which the events of several producers arrive is open, so their times are equal.
  const at = new Date(startAt + (producer === '' ? index * 40 : yearMs)).toISOString()
  const head = (type) =>
    `{"@context":"https://aaep-protocol.org/context/v1","aaep_version":"1.0.0","type":"aaep:agent.${type}",` +
    `"event_id":"evt_${producer}${index}","session_id":"${session}","timestamp":"${at}",` +
    '"producer":{"agent_id":"bench-agent","agent_version":"1.0.0"},"urgency":"normal",' +
    '"localization_hints":{"primary_language":"en"},'
  if (index === 0)
    return `${head('session.started')}"summary_normal":"The agent has started.","request_text":"Compare the three offers."}`
  const chunk = (index - 1) % chunksOfOutput
  const isLast = chunk === chunksOfOutput - 1
  return (
    `${head('output.streaming')}"chunk":${chunks[index % chunks.length]},"position":${chunk * chunkChars},` +
    `"complete":${isLast},"coalesce_hint":"${isLast ? 'completion' : 'none'}",` +
    `"output_id":"out_${producer}${Math.floor((index - 1) / chunksOfOutput)}"}`
  )
}

/** `count` events from `first` on. */
export function eventsFrom(session, first, count, producer) {
  return Array.from({ length: count }, (_, index) => eventAt(session, first + index, producer))
}
