import type { Kernel } from '../../kernel/kernel.ts'
import type { Publication } from '../../kernel/sessions/admission.ts'
import { toSized } from '../../kernel/sessions/publishing.ts'
import type { Session } from '../../kernel/sessions/session.ts'
import { frameRefused } from './run-events.ts'

export interface RunFrame {
  readonly text: string
  readonly publication: Publication
  /** The run; see SessionInfo. */
  readonly writer: string
}

/** Stores a frame that an agent sent. If it is refused, stores a notice with the code. */
export async function storeFrame(
  kernel: Kernel,
  session: Session,
  { text, publication, writer: run }: RunFrame,
): Promise<void> {
  const incoming = toSized(text, 1, kernel.config.limits.eventBytes)
  const { accepted, duplicates, refused } = await session.write((writer) =>
    writer.publish([incoming], publication, { atomic: false, info: {}, writer: run }),
  )
  const { id } = publication.dialect
  kernel.metrics.ingested(id, 'accepted', accepted)
  kernel.metrics.ingested(id, 'duplicate', duplicates)
  kernel.metrics.ingested(id, 'refused', refused.length)
  const code = refused[0]?.code
  // Frames that an agent sends after its own end are dropped silently.
  if (code === undefined || code === 'session_ended') return
  await session.write((writer) =>
    writer.make((state) => (state.end === undefined ? [frameRefused(code)] : undefined), {
      direction: 'system',
      source: { dialect: 'sluice' },
    }),
  )
}
