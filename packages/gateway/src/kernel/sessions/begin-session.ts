import {
  createIntake,
  createSessionState,
  type Dialect,
  type Intake,
  omitUndefined,
  parseFrame,
} from '@sluice/protocol'
import { isSessionId } from '@sluice/protocol/dialects'
import type { Incoming } from './admission.ts'
import { createInfo, type SessionInfo } from './session-info.ts'

/** A fresh session, with the names that its producer uses in the first frame. */
export function beginSession(
  id: string,
  batch: readonly Incoming[],
  { dialect, info }: { readonly dialect: Dialect; readonly info: Partial<SessionInfo> },
): { readonly intake: Intake; readonly info: SessionInfo } {
  const first = batch.find((incoming) => incoming.ok)
  const parsed = first?.ok === true ? parseFrame(first.text) : undefined
  const identity = parsed?.ok === true ? dialect.identify(parsed.frame.value) : {}
  // An id of ours is not a foreign name; an event with another id than the address is refused later.
  const named = identity.foreign ?? (isSessionId(identity.session ?? id) ? undefined : identity.session)
  const foreign = info.foreign ?? named
  const context = info.context ?? identity.context
  const known = createInfo({
    ...info,
    ...omitUndefined({ foreign, context }),
  })
  return { intake: createIntake(createSessionState({ id, foreign, context })), info: known }
}
