import { isJsonObject, type JsonObject } from '@sluice/protocol'
import type { GatewayConnection } from './gateway-connection.ts'
import { postForJson } from './post-for-json.ts'

/** A line of the input on its way to a session. */
export interface Line {
  readonly text: string
  /** Where it stands in the input, from 1. */
  readonly line: number
}

/** What is wrong with a line. */
export interface LineFinding {
  readonly line: number
  readonly code: string
  readonly path: string
  readonly message: string
}

/** What the gateway said of some lines. */
export interface Ingested {
  readonly accepted: number
  readonly duplicates: number
  readonly refused: readonly LineFinding[]
  /** On lines that were stored all the same; the first of them. */
  readonly findings: readonly LineFinding[]
  /** How many there are, listed or not. */
  readonly findingsCount: number
  readonly cursor: string | undefined
}

export interface IngestTarget {
  readonly connection: GatewayConnection
  readonly session: string
  readonly dialect: string | undefined
  /** The lines belong to the session, whatever they call it. */
  readonly isNameless?: boolean
  /** Under which the lines are numbered. */
  readonly producer: string
}

/** Sends lines, of which the first has this number; numbers that the gateway has are not stored again. */
export async function ingestLines(
  { connection, session, dialect, isNameless, producer }: IngestTarget,
  lines: readonly Line[],
  firstNumber: number,
): Promise<Ingested> {
  const answer = await postForJson(connection, {
    path: ['v1', 'sessions', session, 'events'],
    query: { dialect, names: isNameless === true ? 'ignore' : undefined },
    headers: {
      'content-type': 'application/x-ndjson',
      'sluice-producer': `${producer}; epoch=0; seq=${firstNumber}`,
    },
    body: lines.map(({ text }) => `${text}\n`).join(''),
  })
  const findings = readFindings(answer['findings'], lines)
  return {
    accepted: toCount(answer['accepted']),
    duplicates: toCount(answer['duplicates']),
    refused: readFindings(answer['refused'], lines),
    findings,
    findingsCount: Math.max(toCount(answer['findingsCount']), findings.length),
    cursor: typeof answer['cursor'] === 'string' ? answer['cursor'] : undefined,
  }
}

function readFindings(listed: unknown, lines: readonly Line[]): readonly LineFinding[] {
  const found: readonly unknown[] = Array.isArray(listed) ? listed : []
  return found.filter(isJsonObject).map((place) => toFinding(place, lines))
}

function toFinding({ line, code, path, message }: JsonObject, lines: readonly Line[]): LineFinding {
  return {
    line: lines[toCount(line) - 1]?.line ?? 0,
    code: String(code),
    path: String(path ?? ''),
    message: String(message ?? ''),
  }
}

function toCount(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
