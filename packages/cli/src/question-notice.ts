import type { Client, QuestionResource } from '@sluice/client'
import type { SluiceEvent } from '@sluice/protocol'
import type { Io } from './io.ts'
import { toSafeLine } from './safe-text.ts'
import { say, sayPlain } from './say.ts'

/** Says that a question waits, and where it can be answered, if it cannot be answered here. */
export interface QuestionNotice {
  /** Looks for questions in the events of the session. */
  heed(events: readonly SluiceEvent[]): void
  /** Call it when a question may have been opened. */
  look(): void
}

export interface NoticeParts {
  readonly client: Pick<Client, 'questions'>
  readonly session: string
  readonly io: Pick<Io, 'stderr'>
  /** The address of the gateway. */
  readonly url: string
  /** The options with which another command finds it, such as ` --data DIR`. */
  readonly flags: string
}

export function createQuestionNotice({ client, session, io, url, flags }: NoticeParts): QuestionNotice {
  const told = new Set<string>()
  let isLooking = false
  let isStale = false

  /** Asks the gateway for the open questions: a reader that catches up mostly sees answered ones. */
  async function look(): Promise<void> {
    isStale = true
    if (isLooking) return
    isLooking = true
    while (isStale) {
      isStale = false
      for (const question of await client.questions(session).catch(() => [])) {
        if (question.closedAt !== undefined || told.has(question.token)) continue
        told.add(question.token)
        say(io, `A question is waiting for an answer: ${describe(question)}`)
        sayPlain(io, `To answer it in a terminal: npx sluice listen ${session}${flags}`)
        sayPlain(io, `In the console: ${url.replace(/\/$/, '')}/sessions/${encodeURIComponent(session)}`)
      }
    }
    isLooking = false
  }

  return {
    heed(events) {
      if (events.some(({ kind }) => kind === 'question-open')) void look()
    },
    look: () => void look(),
  }
}

function describe({ text, timeoutMs, default: fallback }: QuestionResource): string {
  const notes = [
    ...(timeoutMs === undefined ? [] : [`within ${Math.round(timeoutMs / 1000)} s`]),
    ...(fallback === undefined ? [] : [`else ${toSafeLine(fallback)}`]),
  ]
  return `${toSafeLine(text, 1000)}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`
}
