import { type Check, judgeEach, judgeEvidence, notRun } from '../check.ts'
import { objectOf } from '../story.ts'
import { isOwn, shapeOf } from './message-shape.ts'
import type { SubscriberRecord } from './subscriber-record.ts'

/** How a subscriber connects, which terms it requests, and how it reconnects. */
export const connectionChecks: readonly Check<SubscriberRecord>[] = [
  {
    id: 'S1-CONN-001',
    level: 1,
    section: 'AAEP §8',
    sentence: 'The subscriber connects.',
    judge: ({ connections }) =>
      judgeEvidence(connections.length > 0 ? [] : [{ where: 'producer', detail: 'Nobody came.' }]),
  },
  {
    id: 'S1-TOL-001',
    level: 1,
    section: 'AAEP §3, §12',
    sentence: 'Unknown types, fields, values and extensions do not end the subscription.',
    judge: ({ strange, connections }) => {
      if (strange === undefined) return notRun('The script did not come so far.')
      const ended = connections.filter(
        ({ endedAtMs, isCut }) =>
          isCut !== true &&
          endedAtMs !== undefined &&
          endedAtMs >= strange.fromMs &&
          endedAtMs <= strange.toMs,
      )
      return judgeEvidence(ended.map(() => ({ where: 'connection', detail: 'The subscriber went away.' })))
    },
  },
  {
    id: 'S2-CAP-001',
    level: 2,
    section: 'AAEP §5, §9',
    sentence: 'A subscriber that claims level 2 can reply to confirmations.',
    judge: ({ requests }) => {
      const claims = requests.filter((request) => {
        const levels = objectOf(request, 'capabilities')?.['supported_conformance_levels']
        return Array.isArray(levels) && (levels.includes(2) || levels.includes(3))
      })
      return judgeEach(
        claims,
        (request) =>
          objectOf(request, 'capabilities')?.['supports_confirmation_reply'] === true
            ? []
            : [
                {
                  where: 'request',
                  pointer: '/capabilities/supports_confirmation_reply',
                  detail: 'It is not true.',
                },
              ],
        'The subscriber does not claim level 2.',
      )
    },
  },
  {
    id: 'S3-REQ-001',
    level: 3,
    section: 'AAEP §5',
    sentence: 'subscription.request matches its schema.',
    judge: ({ requests }) =>
      judgeEach(
        requests.map((request) => ({ request })),
        ({ request }) => shapeOf('request', request),
        'There was no handshake.',
      ),
  },
  {
    id: 'S3-REN-001',
    level: 3,
    section: 'AAEP §5',
    sentence: 'subscription.renegotiate matches its schema and names its own subscription.',
    judge: (record) =>
      judgeEach(
        record.renegotiations,
        (message) => [
          ...shapeOf('renegotiation', message),
          ...(isOwn(message, record)
            ? []
            : [{ where: 'renegotiation', pointer: '/subscription_id', detail: 'It is another one.' }]),
        ],
        'The subscriber did not renegotiate.',
      ),
  },
  {
    id: 'S3-RES-001',
    level: 3,
    section: 'AAEP §8',
    sentence: 'The subscriber reconnects when its connection breaks.',
    judge: ({ connections }) => {
      const cut = connections.findIndex(({ isCut }) => isCut === true)
      if (cut < 0) return notRun('The script did not come so far.')
      return judgeEvidence(
        connections.length > cut + 1
          ? []
          : [{ where: 'connection', detail: 'It did not come back in time.' }],
      )
    },
  },
  {
    id: 'S3-RES-002',
    level: 3,
    section: 'AAEP Appendix B',
    sentence: 'The subscriber reconnects with the id of the last event that it received.',
    judge: ({ connections }) => {
      const cut = connections.findIndex(({ isCut }) => isCut === true)
      const next = connections[cut + 1]
      if (cut < 0 || next === undefined) return notRun('The subscriber did not come back.')
      if (next.transport === 'ws') return notRun('The transport has no such id.')
      return judgeEvidence(
        next.after === next.lastSent
          ? []
          : [{ where: 'connection', detail: 'Last-Event-ID is absent or that of another event.' }],
      )
    },
  },
]
