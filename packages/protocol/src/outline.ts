import type { Direction, Entry } from './entry.ts'
import type { EventKind, SluiceEvent, ToolResult } from './events.ts'
import { parseIsoTime } from './iso-time.ts'
import { omitUndefined } from './omit-undefined.ts'
import { countCodePoints } from './segment/code-points.ts'

/** A tool in the outline: called, or ended with a status. */
export interface OutlineCall {
  readonly call: string
  readonly tool: string
  /** Absent where the call starts. */
  readonly status?: ToolResult['status']
}

/** What a list or a chart shows of an entry: no payload, no text. */
export interface OutlineRow {
  readonly seq: number
  /** When the entry came in, in ms since 1970. */
  readonly at: number
  readonly direction: Direction
  /** Each kind of its events once, in order. */
  readonly kinds: readonly EventKind[]
  /** Code points of its text. */
  readonly characters: number
  /** The number of its findings. */
  readonly findings: number
  /** The worst level in it: of a notice, a failed tool or a failed session. */
  readonly level?: 'warning' | 'error'
  readonly calls?: readonly OutlineCall[]
  /** From the producer's own time to the arrival of the entry; absent if that time is meaningless. */
  readonly delayMs?: number
}

/** A clock that is more than a day off says nothing about a delay. */
const maxDelayMs = 24 * 60 * 60_000

/** The outline of one entry. */
export function outlineOf(entry: Entry): OutlineRow {
  const { seq, at, direction, events, diagnostics } = entry
  const level = levelOf(events)
  const calls = events.flatMap(callsOf)
  const delayMs = delayOf(entry)
  return {
    seq,
    at,
    direction,
    kinds: [...new Set(events.map(({ kind }) => kind))],
    characters: events.reduce((sum, event) => sum + charactersOf(event), 0),
    findings: diagnostics.length,
    ...omitUndefined({ level }),
    ...(calls.length === 0 ? {} : { calls }),
    ...omitUndefined({ delayMs }),
  }
}

function charactersOf(event: SluiceEvent): number {
  return event.kind === 'text-delta' ? countCodePoints(event.text) : 0
}

function callsOf(event: SluiceEvent): readonly OutlineCall[] {
  if (event.kind === 'tool-call') return [{ call: event.call, tool: event.tool }]
  if (event.kind !== 'tool-result') return []
  return [{ call: event.call, tool: event.tool, status: event.status }]
}

function levelOf(events: readonly SluiceEvent[]): OutlineRow['level'] {
  if (events.some(isFailure)) return 'error'
  return events.some((event) => event.kind === 'notice' && event.level === 'warning') ? 'warning' : undefined
}

function isFailure(event: SluiceEvent): boolean {
  if (event.kind === 'notice') return event.level === 'error'
  if (event.kind === 'tool-result') return event.status !== 'success'
  return event.kind === 'session-end' && event.outcome === 'failed'
}

function delayOf({ at, events }: Entry): number | undefined {
  const written = events.find(({ meta }) => meta?.at !== undefined)?.meta?.at
  const delayMs = written === undefined ? Number.NaN : at - parseIsoTime(written)
  return Math.abs(delayMs) <= maxDelayMs ? delayMs : undefined
}
