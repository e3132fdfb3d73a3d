import {
  breach,
  type Dialect,
  type FramedText,
  type FramingFault,
  intakeRules,
  omitUndefined,
  parseFrame,
  SluiceError,
} from '@sluice/protocol'
import { detectDialect } from '@sluice/protocol/dialects'
import type { Caller } from '../../access/caller.ts'
import type { Kernel } from '../kernel.ts'
import { gatewayRules, type Incoming, type LineFinding, type Publication } from './admission.ts'
import type { ProducerClaim } from './producers.ts'
import type { Session } from './session.ts'
import { type SessionInfo, subjectWriter, toInfo } from './session-info.ts'
import type { PublishReport } from './writer.ts'

/** One request to publish, in one or more batches. */
export interface Publishing {
  readonly session: Session
  readonly caller: Caller
  readonly dialect: Dialect | undefined
  readonly claim: ProducerClaim | undefined
  readonly trace: string | undefined
  readonly info: Partial<SessionInfo>
  readonly atomic: boolean
  /** The run or the upstream that publishes; by default, the caller's subject. */
  readonly writer?: string
}

/** The result of a whole request, for its publisher. */
export interface PublishTally {
  accepted: number
  duplicates: number
  /** At most maxListed of them. */
  readonly refused: LineFinding[]
  refusedCount: number
  /** On stored events; at most maxListed of them. */
  readonly findings: LineFinding[]
  findingsCount: number
  cursor: string
}

const maxListed = 100

/** Publishes batch by batch; batches are stored in the order of the calls. */
export interface Publisher {
  publish(batch: readonly Incoming[]): Promise<void>
  readonly tally: PublishTally
}

export function createPublisher(kernel: Kernel, publishing: Publishing): Publisher {
  const { session, caller } = publishing
  const { agent } = caller
  const tally: PublishTally = {
    accepted: 0,
    duplicates: 0,
    refused: [],
    refusedCount: 0,
    findings: [],
    findingsCount: 0,
    cursor: String(session.lastSeq),
  }
  let { dialect } = publishing
  let sent = 0

  const ownerOf = (): string | undefined =>
    session.head === undefined ? publishing.info.owner : toInfo(session.head.info).owner

  const add = (report: PublishReport, used: Dialect): void => {
    tally.accepted += report.accepted
    tally.duplicates += report.duplicates
    tally.refusedCount += report.refused.length
    tally.refused.push(...report.refused.slice(0, maxListed - tally.refused.length))
    tally.findingsCount += report.findings.length
    tally.findings.push(...report.findings.slice(0, maxListed - tally.findings.length))
    // Batches that became durable together may report in any order.
    tally.cursor = String(Math.max(Number(tally.cursor), report.seq))
    kernel.metrics.ingested(used.id, 'accepted', report.accepted)
    kernel.metrics.ingested(used.id, 'duplicate', report.duplicates)
    kernel.metrics.ingested(used.id, 'refused', report.refused.length)
  }

  return {
    tally,
    async publish(batch) {
      if (batch.length === 0) return
      if (kernel.directory.states.isFull) throw new SluiceError('memory_full')
      kernel.stored.assertRoom(ownerOf())
      dialect ??= detect(batch)
      // Unreadable lines do not reveal their dialect; any dialect would refuse them alike.
      const used = dialect ?? kernel.dialect('sluice')
      const claim =
        publishing.claim === undefined ? undefined : { ...publishing.claim, seq: publishing.claim.seq + sent }
      sent += batch.length
      const publication: Publication = {
        dialect: used,
        ...(caller.via === 'anonymous' ? {} : { subject: caller.subject }),
        ...omitUndefined({ producer: claim?.name, trace: publishing.trace, agent }),
      }
      const terms = omitUndefined({
        atomic: publishing.atomic,
        info: publishing.info,
        claim,
        writer: publishing.writer ?? subjectWriter(caller.subject),
      })
      const report = await session.write((writer) => writer.publish(batch, publication, terms))
      add(report, used)
    },
  }
}

/**
 * The answer to a publisher. It includes the number of refusals or findings only if not all of them are
 * listed.
 */
export function toAnswer(tally: PublishTally): object {
  const { refusedCount, findingsCount, ...answer } = tally
  return {
    ...answer,
    ...(refusedCount > tally.refused.length ? { refusedCount } : {}),
    ...(findingsCount > tally.findings.length ? { findingsCount } : {}),
  }
}

/** A framed text as an event to publish; a framing fault is refused with its rule. */
export function toIncoming(framed: FramedText | FramingFault): Incoming {
  if (framed.ok) return framed
  const { line, code } = framed
  const isTooLong = code === 'line_too_long' || code === 'element_too_long' || code === 'event_too_long'
  const finding = isTooLong ? breach(gatewayRules.tooLarge, '') : { ...breach(intakeRules.notJson, ''), code }
  return { ok: false, line, finding }
}

/** A text to publish, or its refusal when it is larger than one event may be. */
export function toSized(text: string, line: number, maxBytes: number): Incoming {
  if (Buffer.byteLength(text) <= maxBytes) return { ok: true, text, line }
  return { ok: false, line, finding: breach(gatewayRules.tooLarge, '') }
}

/** The dialect of the first readable event; undefined without one. Throws `undetected_dialect`. */
function detect(batch: readonly Incoming[]): Dialect | undefined {
  for (const incoming of batch) {
    const parsed = incoming.ok ? parseFrame(incoming.text) : undefined
    if (parsed?.ok !== true) continue
    const dialect = detectDialect(parsed.frame.value)
    if (dialect === undefined) throw new SluiceError('undetected_dialect')
    return dialect
  }
  return undefined
}
