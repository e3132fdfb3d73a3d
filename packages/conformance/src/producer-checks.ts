import type { Check } from './check.ts'
import { envelopeChecks } from './checks/envelope.ts'
import { handshakeChecks } from './checks/handshake.ts'
import { manifestChecks } from './checks/manifest.ts'
import { outputChecks } from './checks/outputs.ts'
import { pacingChecks } from './checks/pacing.ts'
import { questionChecks } from './checks/questions.ts'
import { renegotiationChecks } from './checks/renegotiation.ts'
import { replyChecks } from './checks/replies.ts'
import { resumeChecks } from './checks/resume.ts'
import { safetyChecks } from './checks/safety.ts'
import { sequenceChecks } from './checks/sequence.ts'
import { termsChecks } from './checks/terms.ts'
import { timeoutChecks } from './checks/timeouts.ts'
import { toolChecks } from './checks/tools.ts'
import type { Transcript } from './transcript.ts'

/** Every check on a producer, in the order of the report. */
export const producerChecks: readonly Check<Transcript>[] = [
  ...envelopeChecks,
  ...sequenceChecks,
  ...toolChecks,
  ...outputChecks,
  ...safetyChecks,
  ...questionChecks,
  ...replyChecks,
  ...timeoutChecks,
  ...handshakeChecks,
  ...termsChecks,
  ...pacingChecks,
  ...renegotiationChecks,
  ...resumeChecks,
  ...manifestChecks,
]
