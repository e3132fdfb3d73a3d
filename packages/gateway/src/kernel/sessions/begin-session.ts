import { createIntake, createSessionState, type Intake, parseFrame } from '@sluice/protocol'
import { isSessionId } from '@sluice/protocol/dialects'
import type { Incoming, Publication } from './admission.ts'
import { createInfo, type SessionInfo } from './session-info.ts'

/** The first frame of a new session may tell what its producer calls it. */
export function beginSession(
  id: string,
  batch: readonly Incoming[],
  { dialect }: Publication,
  info: Partial<SessionInfo>,
): { readonly intake: Intake; readonly info: SessionInfo } {
  const first = batch.find((incoming) => incoming.ok)
  const parsed = first?.ok === true ? parseFrame(first.text) : undefined
  const identity = parsed?.ok === true ? dialect.identify(parsed.frame.value) : {}
  // An id of ours is no foreign name: one that is not the address's is refused with its event.
  const named = identity.foreign ?? (isSessionId(identity.session ?? id) ? undefined : identity.session)
  const foreign = info.foreign ?? named
  const context = info.context ?? identity.context
  const known = createInfo({
    ...info,
    ...(foreign === undefined ? {} : { foreign }),
    ...(context === undefined ? {} : { context }),
  })
  return { intake: createIntake(createSessionState({ id, foreign, context })), info: known }
}
