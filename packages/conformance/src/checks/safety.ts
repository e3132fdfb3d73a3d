import { type Check, type Evidence, judgeEach } from '../check.ts'
import { eventsOf, evidenceOn, mainReadings, textOf } from '../story.ts'
import type { ArrivedEvent, Reading, Transcript } from '../transcript.ts'

const fields = [
  'args_summary',
  'summary_terse',
  'summary_normal',
  'summary_detailed',
  'consequence',
  'action',
  'request_text',
  'error_message',
]

/** Forms of well-known credentials. Words such as "password" alone do not count. */
const secrets: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{16,}/,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/,
  /\bAKIA[A-Z0-9]{16}\b/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\bssh-(?:rsa|ed25519) AAAA/,
  /\bbearer [A-Za-z0-9._~+/-]{16,}/i,
  /\b(?:password|passwd|api_?key|secret(?:_key)?|x-api-key|token)\s*[=:]\s*(?!\[|<|\*|redacted)\S{4,}/i,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\./,
]

export const safetyChecks: readonly Check<Transcript>[] = [
  {
    id: 'L1-SAFE-001',
    level: 1,
    section: 'AAEP §10',
    sentence: 'No human-readable text looks like a secret.',
    isAdvice: true,
    judge: (transcript) =>
      judgeEach(
        mainReadings(transcript).filter((it) => eventsOf(it).length > 0),
        exposed,
        'No event came in.',
      ),
  },
  {
    id: 'L1-SSE-001',
    level: 1,
    section: 'AAEP Appendix B',
    sentence: 'An SSE frame has the event name aaep.event and the id of its event.',
    judge: (transcript) => {
      const isSpoken = transcript.transport === 'sse' && transcript.hasHandshake
      const readings = mainReadings(transcript).filter((it) => isSpoken && eventsOf(it).length > 0)
      return judgeEach(readings, misframed, isSpoken ? 'No event came in.' : 'The transport is another one.')
    },
  },
]

function exposed(reading: Reading): readonly Evidence[] {
  return eventsOf(reading).flatMap(({ event }) =>
    fields
      .filter((field) => secrets.some((secret) => secret.test(textOf(event, field))))
      .map((field) => evidenceOn({ where: reading.where, event }, `/${field}`, 'It looks like a secret.')),
  )
}

function misframed(reading: Reading): readonly Evidence[] {
  const isRight = ({ event, frame }: ArrivedEvent): boolean =>
    frame?.event === 'aaep.event' && frame.id === event['event_id']
  return eventsOf(reading)
    .filter((arrived) => !isRight(arrived))
    .map(({ event }) => evidenceOn({ where: reading.where, event }, '', 'Its frame has another name or id.'))
}
