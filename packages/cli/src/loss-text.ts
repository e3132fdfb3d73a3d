import type { LogLoss, LogProblem } from '@sluice/log'
import { omitUndefined } from '@sluice/protocol'
import { toSafeLine } from './safe-text.ts'

/** A line such as `sess_1:5-9 entries cannot be read (812 bytes)`, or `log.mdb:- the file is missing`. */
export function formatLoss({ session, file, fromSeq, toSeq = fromSeq, bytes, message }: LogLoss): string {
  const seqs = fromSeq === undefined ? '-' : fromSeq === toSeq ? fromSeq : `${fromSeq}-${toSeq}`
  const size = bytes === undefined ? '' : ` (${bytes} bytes)`
  return `${toSafeLine(session ?? file ?? '-')}:${seqs} ${toSafeLine(message)}${size}`
}

export function toLoss({ session, seq, file, bytes, message }: LogProblem): LogLoss {
  return { message, ...omitUndefined({ session, fromSeq: seq, file, bytes }) }
}
