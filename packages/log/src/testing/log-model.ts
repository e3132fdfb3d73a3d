import { type JsonValue, omitUndefined } from '@sluice/protocol'
import type { Append, Log, ProducerMark } from '../log.ts'
import type { LogBench } from './log-driver.ts'
import { bytesOf, codeOf, readAll, textsOf } from './write-session.ts'

/** What a caller may do to a log, with few sessions and few writers. */
export type Operation =
  | { readonly kind: 'open'; readonly session: string }
  | {
      readonly kind: 'append'
      readonly session: string
      /** 0 is the lease opened last. */
      readonly lease: number
      /** Added to the correct first number. */
      readonly shift: number
      readonly texts: readonly string[]
      readonly at: number
      readonly ends: boolean
      readonly producer: ProducerMark | undefined
      readonly mark: { readonly name: string; readonly value: JsonValue } | undefined
      readonly info: string | undefined
    }
  | { readonly kind: 'checkpoint'; readonly session: string; readonly seq: number }
  | { readonly kind: 'delete'; readonly session: string }
  | {
      readonly kind: 'retire'
      readonly endedBefore: number | undefined
      readonly maxBytes: number | undefined
    }
  | { readonly kind: 'reopen' }

interface ModelSession {
  readonly createdAt: number
  readonly texts: string[]
  readonly producers: Record<string, ProducerMark>
  readonly marks: Map<string, JsonValue>
  readonly checkpoints: Set<number>
  updatedAt: number
  info: string
  endedAt: number | undefined
}

/** The expected contents of a log, in the simplest form. */
export interface LogModel {
  readonly sessions: Map<string, ModelSession>
  readonly deleted: Set<string>
  /** By session, the current one first. */
  readonly leases: Map<string, object[]>
}

export const createLogModel = (): LogModel => ({ sessions: new Map(), deleted: new Set(), leases: new Map() })

/** Applies an append and returns the code with which it must fail, or 'none'. */
export function applyAppend(model: LogModel, operation: Extract<Operation, { kind: 'append' }>): string {
  const { session, lease, shift, texts, at, ends, producer, mark, info } = operation
  const found = model.sessions.get(session)
  if (model.deleted.has(session)) return 'session_deleted'
  if (found?.endedAt !== undefined) return 'session_ended'
  if (lease > 0) return 'fenced'
  if (shift !== 0) return 'log_conflict'
  const target: ModelSession = found ?? {
    createdAt: at,
    texts: [],
    producers: {},
    marks: new Map(),
    checkpoints: new Set(),
    updatedAt: at,
    info: '',
    endedAt: undefined,
  }
  model.sessions.set(session, target)
  target.texts.push(...texts)
  target.updatedAt = at
  if (producer !== undefined) target.producers['p'] = producer
  if (mark?.value === null) target.marks.delete(mark.name)
  else if (mark !== undefined) target.marks.set(mark.name, mark.value)
  if (info !== undefined) target.info = info
  if (ends) target.endedAt = at
  return 'none'
}

export function applyDelete(model: LogModel, session: string): boolean {
  if (!model.sessions.delete(session)) return false
  model.deleted.add(session)
  return true
}

export function applyRetire(
  model: LogModel,
  endedBefore = Number.NEGATIVE_INFINITY,
  maxBytes = Infinity,
): string[] {
  const sizeOf = ({ texts }: ModelSession) => texts.reduce((sum, text) => sum + bytesOf(text).length, 0)
  const ended = [...model.sessions]
    .flatMap(([session, { endedAt }]) => (endedAt === undefined ? [] : [{ session, endedAt }]))
    .sort((a, b) => a.endedAt - b.endedAt || (a.session < b.session ? -1 : 1))
  const gone: string[] = []
  for (const { session, endedAt } of ended) {
    const total = [...model.sessions.values()].reduce((sum, one) => sum + sizeOf(one), 0)
    if (endedAt >= endedBefore && total <= maxBytes) break
    applyDelete(model, session)
    gone.push(session)
  }
  return gone
}

/** The append that an operation describes, on the lease it names. */
export function toAppend(
  model: LogModel,
  operation: Extract<Operation, { kind: 'append' }>,
): Append | undefined {
  const { session, shift, texts, at, ends, producer, mark, info } = operation
  const lease = model.leases.get(session)?.[operation.lease]
  if (lease === undefined) return undefined
  return omitUndefined({
    lease: lease as Append['lease'], // put there by test-log-model.ts
    firstSeq: (model.sessions.get(session)?.texts.length ?? 0) + shift,
    records: texts.map(bytesOf),
    at,
    ends,
    producers: producer === undefined ? undefined : { p: producer },
    marks: mark === undefined ? undefined : { [mark.name]: mark.value },
    info: info === undefined ? undefined : { info },
  })
}

/** Everything observable in a log, as one value. */
export async function seeLog(
  bench: Pick<LogBench, 'stat'>,
  log: Log,
  sessions: readonly string[],
): Promise<unknown> {
  const heads = await log.list({ limit: 100 })
  const seen = await Promise.all(
    sessions.map(async (session) => ({
      session,
      deleted: await log.isDeleted(session),
      head: plainHead(await log.head(session)),
      records: textsOf(await readAll(log, session, 8)),
      checkpoints: await Promise.all(
        [0, 1, 2, 3].map(async (seq) => (await log.checkpoint(session, seq))?.seq),
      ),
      openable: await codeOf(log.head(session)),
    })),
  )
  const marks = (await log.marks('')).map((mark) => JSON.stringify(mark)).sort()
  return { list: heads.map(plainHead), seen, marks, stat: await bench.stat(log) }
}

export function seeModel(model: LogModel, sessions: readonly string[]): unknown {
  const headOf = (session: string) => {
    const found = model.sessions.get(session)
    if (found === undefined) return undefined
    const { createdAt, updatedAt, texts, endedAt, producers, info } = found
    return {
      session,
      createdAt,
      updatedAt,
      lastSeq: texts.length - 1,
      bytes: texts.reduce((sum, text) => sum + bytesOf(text).length, 0),
      endedAt,
      producers: { ...producers },
      info: info === '' ? {} : { info },
    }
  }
  const list = [...model.sessions]
    .sort(([a, x], [b, y]) => y.createdAt - x.createdAt || (a < b ? 1 : -1))
    .map(([session]) => headOf(session))
  const seen = sessions.map((session) => {
    const found = model.sessions.get(session)
    return {
      session,
      deleted: model.deleted.has(session),
      head: headOf(session),
      records: (found?.texts ?? []).map((text, seq) => `${seq}:${text}`),
      checkpoints: [0, 1, 2, 3].map((seq) =>
        [...(found?.checkpoints ?? [])]
          .filter((put) => put <= seq)
          .sort()
          .at(-1),
      ),
      openable: 'none',
    }
  })
  const marks = [...model.sessions]
    .flatMap(([session, { marks: own }]) =>
      [...own].map(([name, value]) => JSON.stringify({ session, name, value })),
    )
    .sort()
  const all = list.flatMap((head) => head ?? [])
  const stat = {
    sessions: all.length,
    endedSessions: all.filter(({ endedAt }) => endedAt !== undefined).length,
    records: all.reduce((sum, { lastSeq }) => sum + lastSeq + 1, 0),
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
  }
  return { list, seen, marks, stat }
}

function plainHead<Head extends { readonly producers: object } | undefined>(head: Head) {
  return head === undefined ? undefined : { ...head, producers: { ...head.producers } }
}
