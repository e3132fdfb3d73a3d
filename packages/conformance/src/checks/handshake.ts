import { isJsonObject, type JsonObject } from '@sluice/protocol'
import { dialectById } from '@sluice/protocol/dialects'
import { type Check, type Evidence, type Judgement, judgeEach, judgeEvidence, notRun } from '../check.ts'
import { exceeding } from '../honored.ts'
import { objectOf, readingsOf, textOf } from '../story.ts'
import type { Probe, Transcript } from '../transcript.ts'

const whyNone = 'The producer has no handshake.'

interface Agreement {
  readonly where: string
  readonly request: JsonObject
  readonly accepted: JsonObject
}

/** Every request that was accepted, with its answer. */
function agreements({ probes, ...transcript }: Transcript): readonly Agreement[] {
  const attempts = [
    ...readingsOf({ probes, ...transcript }),
    ...probes
      .filter(isProper)
      .map(({ name, request, answer }) => ({ where: `probe/${name}`, request, accepted: answer })),
  ]
  return attempts.flatMap(({ where, request, accepted }) =>
    request !== undefined && isJsonObject(accepted) && accepted['type'] === 'subscription.accepted'
      ? [{ where, request, accepted }]
      : [],
  )
}

/** Honoured terms cannot exceed an invalid request. */
function isProper({ name }: Probe): boolean {
  return name !== 'nonsense' && name !== 'capabilities'
}

function shapeOf(where: string, message: JsonObject): readonly Evidence[] {
  return dialectById('aaep')
    .validate(message)
    .map(({ path, message: detail }) => ({ where, pointer: path, detail }))
}

function excess({ where, request, accepted }: Agreement): readonly Evidence[] {
  const honored = objectOf(accepted, 'honored_capabilities') ?? {}
  return exceeding(objectOf(request, 'capabilities') ?? {}, honored).map((pointer) => ({
    where,
    pointer,
    detail: 'It is more than was asked for.',
  }))
}

interface ProbeCheck extends Pick<Check<Transcript>, 'id' | 'section' | 'sentence'> {
  readonly name: Probe['name']
  find(found: Probe): readonly Evidence[]
}

function probe({ name, find, ...info }: ProbeCheck): Check<Transcript> {
  return {
    ...info,
    level: 3,
    judge: (transcript): Judgement => {
      const found = transcript.probes.find((it) => it.name === name)
      return found === undefined ? notRun(whyNone) : judgeEvidence(find(found))
    },
  }
}

function expectRejection(...codes: readonly string[]): (found: Probe) => readonly Evidence[] {
  return ({ name, answer }) => {
    const where = `probe/${name}`
    if (answer === undefined) return [{ where, detail: 'There was no answer.' }]
    if (answer['type'] !== 'subscription.rejected')
      return [{ where, pointer: '/type', detail: 'It is no subscription.rejected.' }]
    return codes.length === 0 || codes.includes(textOf(answer, 'reason_code'))
      ? []
      : [{ where, pointer: '/reason_code', detail: `It is not ${codes.join(' or ')}.` }]
  }
}

function signedOnly({ name, answer }: Probe): readonly Evidence[] {
  const where = `probe/${name}`
  if (answer?.['type'] === 'subscription.accepted')
    return textOf(answer, 'signed_manifest') === ''
      ? [{ where, pointer: '/signed_manifest', detail: 'It is accepted without a signed manifest.' }]
      : []
  return expectRejection('manifest_signature_required')({ name, request: {}, ...(answer && { answer }) })
}

/** The negotiation of terms: AAEP §5. */
export const handshakeChecks: readonly Check<Transcript>[] = [
  {
    id: 'L3-NEG-001',
    level: 3,
    section: 'AAEP §5',
    sentence: 'subscription.accepted matches its schema.',
    judge: (transcript) =>
      judgeEach(agreements(transcript), ({ where, accepted }) => shapeOf(where, accepted), whyNone),
  },
  {
    id: 'L3-NEG-002',
    level: 3,
    section: 'AAEP §5',
    sentence: 'Honoured terms do not exceed the requested ones.',
    judge: (transcript) => judgeEach(agreements(transcript), excess, whyNone),
  },
  probe({
    id: 'L3-NEG-003',
    name: 'version',
    section: 'AAEP §5, §12',
    sentence: 'An unknown version is rejected with version_unsupported.',
    find: expectRejection('version_unsupported'),
  }),
  probe({
    id: 'L3-NEG-004',
    name: 'nonsense',
    section: 'AAEP §5, §9',
    sentence: 'A message that is not a request is rejected, not ignored.',
    find: expectRejection(),
  }),
  probe({
    id: 'L3-NEG-005',
    name: 'capabilities',
    section: 'AAEP §5',
    sentence: 'Out-of-range capabilities are rejected with capabilities_incompatible.',
    find: expectRejection('capabilities_incompatible'),
  }),
  {
    id: 'L3-NEG-006',
    level: 3,
    section: 'AAEP §5',
    sentence: 'subscription.rejected matches its schema and gives one of the eight reasons.',
    judge: ({ probes }) =>
      judgeEach(
        probes.filter(({ answer }) => answer?.['type'] === 'subscription.rejected'),
        ({ name, answer }) => shapeOf(`probe/${name}`, answer ?? {}),
        'The producer rejected nothing.',
      ),
  },
  probe({
    id: 'L3-NEG-007',
    name: 'extension',
    section: 'AAEP §5, §7',
    sentence: 'A capability of an unknown extension is ignored.',
    find: ({ name, answer }) =>
      answer?.['type'] === 'subscription.accepted'
        ? []
        : [{ where: `probe/${name}`, detail: 'It is not accepted.' }],
  }),
  probe({
    id: 'L3-NEG-008',
    name: 'signed-only',
    section: 'AAEP §5, §10',
    sentence: 'A subscriber that accepts only signed manifests receives one or is rejected.',
    find: signedOnly,
  }),
]
