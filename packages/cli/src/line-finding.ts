import type { Receipt } from '@sluice/client'
import { SluiceError } from '@sluice/protocol'
import type { PlacedFinding } from './recording.ts'

/** A problem with one line of the input. */
export type LineFinding = Omit<PlacedFinding, 'rule'>

/** The gateway's answer to one line: why it was refused, or its findings although it was stored. */
export interface PublishedLine {
  readonly refusal?: LineFinding
  readonly findings: readonly LineFinding[]
}

/** Waits for the answer to a line that was sent. Rejects when the publisher has ended. */
export async function settleLine(line: number, sent: Promise<Receipt>): Promise<PublishedLine> {
  try {
    const { findings = [] } = await sent
    return { findings: findings.map(({ code, path, message }) => ({ line, code, path, message })) }
  } catch (error) {
    if (!(error instanceof SluiceError && error.code === 'events_refused')) throw error
    const { rule, path = '' } = error.details ?? {}
    const refusal = { line, code: String(rule), path: String(path), message: error.message }
    return { refusal, findings: [] }
  }
}
