import { dialectById } from '@sluice/protocol/dialects'
import { type Check, type Evidence, type Judgement, judgeEvidence, notRun } from '../check.ts'
import { objectOf, readingsOf, textOf } from '../story.ts'
import type { Transcript } from '../transcript.ts'

const where = 'manifest'
const whyNone = 'The producer has no manifest.'

/** The agent that the producer named in the handshake. */
function agentOf(transcript: Transcript): string {
  const accepted = readingsOf(transcript).find((reading) => reading.accepted !== undefined)?.accepted
  const plain = transcript.probes.find(({ name }) => name === 'plain')?.answer
  return textOf(objectOf(accepted ?? plain, 'producer'), 'agent_id')
}

function served({ manifest: { manifest, status } }: Transcript): readonly Evidence[] {
  if (manifest === undefined) return [{ where, detail: `There is none: status ${status}.` }]
  if (manifest['type'] !== 'aaep:producer.manifest')
    return [{ where, pointer: '/type', detail: 'It is no aaep:producer.manifest.' }]
  return dialectById('aaep')
    .validate(manifest)
    .map(({ path, message }) => ({ where, pointer: path, detail: message }))
}

function sameAgent(transcript: Transcript): Judgement {
  const { manifest } = transcript.manifest
  const agent = agentOf(transcript)
  if (manifest === undefined || agent === '') return notRun(whyNone)
  return judgeEvidence(
    textOf(manifest, 'agent_id') === agent
      ? []
      : [{ where, pointer: '/agent_id', detail: 'The handshake names another agent.' }],
  )
}

function sameClaims(transcript: Transcript): Judgement {
  const { manifest, signed } = transcript.manifest
  if (signed === undefined || !signed.isGenuine || signed.claims === undefined)
    return notRun('The producer has no manifest with a genuine signature.')
  const { claims } = signed
  const agent = agentOf(transcript)
  const isOther = agent !== '' && textOf(claims, 'agent_id') !== agent
  const fields = ['aaep_versions_supported', 'conformance_levels_supported', 'transports_supported']
  const others = fields.filter(
    (field) =>
      manifest?.[field] !== undefined && JSON.stringify(manifest[field]) !== JSON.stringify(claims[field]),
  )
  return judgeEvidence([
    ...(isOther
      ? [{ where: 'signed manifest', pointer: '/agent_id', detail: 'The handshake names another agent.' }]
      : []),
    ...others.map((field) => ({
      where: 'signed manifest',
      pointer: `/${field}`,
      detail: 'The unsigned manifest says something else.',
    })),
  ])
}

/** The manifest of a producer and its signature: AAEP §5.10, §10. */
export const manifestChecks: readonly Check<Transcript>[] = [
  {
    id: 'L3-MAN-001',
    level: 3,
    section: 'AAEP §5.10, §9',
    sentence: 'The producer serves a manifest that matches its schema.',
    judge: (transcript) =>
      transcript.hasHandshake ? judgeEvidence(served(transcript)) : notRun('The producer has no handshake.'),
  },
  {
    id: 'L3-MAN-002',
    level: 3,
    section: 'AAEP §10',
    sentence: 'The manifest names the same agent as the handshake.',
    judge: sameAgent,
  },
  {
    id: 'L3-MAN-003',
    level: 3,
    section: 'AAEP §10',
    sentence: 'A published key verifies the signature of the manifest.',
    judge: ({ manifest: { signed } }) => {
      if (signed === undefined) return notRun('The producer has no signed manifest.')
      return judgeEvidence(signed.isGenuine ? [] : [{ where: 'signed manifest', detail: signed.detail }])
    },
  },
  {
    id: 'L3-MAN-004',
    level: 3,
    section: 'AAEP §10',
    sentence: 'The signed manifest agrees with the unsigned one and with the handshake.',
    judge: sameClaims,
  },
]
