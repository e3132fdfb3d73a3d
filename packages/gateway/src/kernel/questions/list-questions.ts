import { decodeEntry, type Log } from '@sluice/log'
import {
  type Entry,
  omitUndefined,
  type QuestionClose,
  type QuestionOpen,
  type QuestionResource,
} from '@sluice/protocol'
import { agentTokenOf, notesOf } from './question-notes.ts'

const readBytes = 256 * 1024
/**
 * Occurs in the record of every entry with an event of a question; most records do not contain it and are not
 * parsed.
 */
const sign = Buffer.from('"kind":"question-')

/** Every question of a session up to entry `lastSeq`, in the order of asking. */
export async function listQuestions(
  log: Log,
  session: string,
  lastSeq: number,
): Promise<readonly QuestionResource[]> {
  const questions = new Map<string, QuestionResource>()
  for (let next = 0; next <= lastSeq; ) {
    const records = await log.read(session, next, { maxBytes: readBytes })
    if (records.length === 0) break
    for (const { seq, bytes } of records) {
      next = seq + 1
      if (seq <= lastSeq && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(sign))
        addEntry(questions, decodeEntry(session, { seq, bytes }))
    }
  }
  return [...questions.values()]
}

function addEntry(questions: Map<string, QuestionResource>, entry: Entry): void {
  const { seq, at } = entry
  for (const event of entry.events) {
    if (event.kind === 'question-open') questions.set(event.token, { ...toOpened(event), openedAt: at, seq })
    if (event.kind !== 'question-close') continue
    const opened = questions.get(event.token)
    if (opened !== undefined)
      questions.set(event.token, { ...opened, ...toClosed(event, entry), closedAt: at, closedSeq: seq })
  }
}

function toOpened(event: QuestionOpen) {
  const { token, question, text, risk, irreversible, timeoutMs } = event
  const agentToken = agentTokenOf(event)
  return {
    token,
    ...(agentToken === token ? {} : { agentToken }),
    question,
    text,
    ...omitUndefined({ risk, irreversible, timeoutMs, default: event.default }),
  }
}

function toClosed(event: QuestionClose, { direction }: Entry) {
  const { how, decision, response } = event
  return {
    how,
    ...omitUndefined({ decision, response }),
    ...(direction === 'event' ? toClaim(event) : toWitnessed(event)),
  }
}

function toClaim({ by, claimedBy = by }: QuestionClose) {
  return { claimed: true, ...omitUndefined({ claimedBy }) } as const
}

function toWitnessed(event: QuestionClose) {
  const { via } = notesOf(event)
  return {
    ...omitUndefined({ by: event.by }),
    ...(typeof via === 'string' ? { via } : {}),
  }
}
