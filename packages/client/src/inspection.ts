import { decodeOutline, type EncodedOutline, type OutlinePage, SluiceError } from '@sluice/protocol'
import type { DialectName, FrameOf, SluiceFrame } from './frames.ts'
import { type Requester, readJson } from './requester.ts'
import type { DialectResource, QuestionResource, ToldEntry } from './resources.ts'
import type { Abortable } from './sessions.ts'

export interface OutlineOptions extends Abortable {
  /** The entry after which the page begins. Default -1, the start. */
  readonly after?: number
  /** Default 1000, at most 10 000. */
  readonly limit?: number
}

/** Information about sessions besides their events. */
export interface Inspection {
  /** The entries of a session without their content, one page of them. */
  outline(session: string, options?: OutlineOptions): Promise<OutlinePage>
  /** One entry, with what was received and every finding. */
  entry(session: string, seq: number, options?: Abortable): Promise<SluiceFrame>
  /** One entry as the readers of a dialect get it, and what the dialect loses. */
  entryIn<D extends DialectName>(
    session: string,
    seq: number,
    options: Abortable & { readonly dialect: D },
  ): Promise<ToldEntry<FrameOf<D>>>
  /** Every question of a session, in the order in which they were asked, with its outcome. */
  questions(session: string, options?: Abortable): Promise<readonly QuestionResource[]>
  /** The dialects that the gateway speaks. */
  dialects(options?: Abortable): Promise<readonly DialectResource[]>
}

export function createInspection(requester: Requester): Inspection {
  const entryPath = (session: string, seq: number) => ['sessions', session, 'entries', seq.toString()]
  return {
    async outline(session, { after, limit, signal } = {}) {
      const query = { after: after?.toString(), limit: limit?.toString() }
      const answer = await requester.repeat({ path: ['sessions', session, 'outline'], query, signal })
      const page = await readJson<EncodedOutline>(answer, signal)
      try {
        return decodeOutline(page)
      } catch (cause) {
        throw new SluiceError('gateway_unreachable', { message: 'The answer is no outline.', cause })
      }
    },
    async entry(session, seq, { signal } = {}) {
      return readJson(await requester.repeat({ path: entryPath(session, seq), signal }), signal)
    },
    async entryIn(session, seq, { dialect, signal }) {
      const answer = await requester.repeat({ path: entryPath(session, seq), query: { dialect }, signal })
      return readJson(answer, signal)
    },
    async questions(session, { signal } = {}) {
      const answer = await requester.repeat({ path: ['sessions', session, 'questions'], signal })
      const { questions } = await readJson<{ readonly questions: readonly QuestionResource[] }>(
        answer,
        signal,
      )
      return questions
    },
    async dialects({ signal } = {}) {
      const answer = await requester.repeat({ path: ['dialects'], signal })
      const { dialects } = await readJson<{ readonly dialects: readonly DialectResource[] }>(answer, signal)
      return dialects
    },
  }
}
