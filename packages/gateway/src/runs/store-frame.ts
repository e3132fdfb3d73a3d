import type { Dialect } from '@sluice/protocol'
import type { Gate } from '../gate.ts'
import type { Publication } from '../sessions/admission.ts'
import { toSized } from '../sessions/publishing.ts'
import type { Session } from '../sessions/session.ts'
import { frameRefused } from './run-events.ts'

export interface RunFrame {
  readonly text: string
  readonly publication: Publication
  /** The run; see SessionInfo. */
  readonly writer: string
}

/** Stores a frame that an agent has sent. A notice gives the code of one that is refused. */
export async function storeFrame(
  gate: Gate,
  session: Session,
  { text, publication, writer: run }: RunFrame,
): Promise<void> {
  const incoming = toSized(text, 1, gate.config.limits.eventBytes)
  const { accepted, duplicates, refused } = await session.write((writer) =>
    writer.publish([incoming], publication, { atomic: false, info: {}, writer: run }),
  )
  const { id } = publication.dialect
  gate.metrics.ingested(id, 'accepted', accepted)
  gate.metrics.ingested(id, 'duplicate', duplicates)
  gate.metrics.ingested(id, 'refused', refused.length)
  const code = refused[0]?.code
  // What an agent says behind its own end concerns nobody.
  if (code === undefined || code === 'session_ended') return
  await session.write((writer) =>
    writer.make((state) => (state.end === undefined ? [frameRefused(code)] : undefined), {
      direction: 'system',
      source: { dialect: 'sluice' },
    }),
  )
}

/** The same dialect for the frames of one run: they belong to its session, whatever they call it. */
export function withoutSession(dialect: Dialect): Dialect {
  return {
    ...dialect,
    identify(value) {
      const { session: _session, foreign: _foreign, context: _context, ...identity } = dialect.identify(value)
      return identity
    },
  }
}
