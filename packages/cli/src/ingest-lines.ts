import { isJsonObject, type JsonObject } from '@sluice/protocol'
import type { GatewayConnection } from './gateway-connection.ts'
import { postForJson } from './post-for-json.ts'

/** A line of the input on its way to a session. */
export interface Line {
  readonly text: string
  /** Where it stands in the input, from 1. */
  readonly line: number
}

export interface Refusal {
  readonly line: number
  readonly code: string
  readonly path: string
  readonly message: string
}

/** What the gateway said of some lines. */
export interface Ingested {
  readonly accepted: number
  readonly duplicates: number
  readonly refused: readonly Refusal[]
  readonly findings: number
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
  const refused = Array.isArray(answer['refused']) ? answer['refused'] : []
  return {
    accepted: toCount(answer['accepted']),
    duplicates: toCount(answer['duplicates']),
    refused: refused.filter(isJsonObject).map((place) => toRefusal(place, lines)),
    findings: toCount(answer['findings']),
    cursor: typeof answer['cursor'] === 'string' ? answer['cursor'] : undefined,
  }
}

function toRefusal({ line, code, path, message }: JsonObject, lines: readonly Line[]): Refusal {
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
