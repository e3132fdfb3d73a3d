import { decodeRecord, type Log } from '@sluice/log'
import {
  type Dialect,
  decoderKey,
  type Entry,
  foldEntry,
  parseFrame,
  type SessionState,
  type Table,
  tableGet,
  tableSet,
} from '@sluice/protocol'
import { type Restored, restoreCheckpoint, restoreState } from './checkpoint.ts'

const readBytes = 256 * 1024

export interface SessionIdentity {
  readonly id: string
  readonly foreign?: string | undefined
  readonly context?: string | undefined
}

/** The state of a session after entry `seq`, from `known` if that is a state at or before it, else from a checkpoint. */
export async function loadState(
  log: Log,
  identity: SessionIdentity,
  seq: number,
  known?: SessionState,
): Promise<SessionState> {
  let state = known ?? (await restoreState(log, identity, seq))
  for await (const entry of readEntries(log, identity.id, state.seq + 1, seq)) state = foldEntry(state, entry)
  return state
}

export interface Loaded extends Restored {
  /** The state of the checkpoint that it was loaded from. */
  readonly base: SessionState | undefined
}

/** All that a writer needs to go on behind entry `seq`. */
export async function loadForWriting(
  log: Log,
  identity: SessionIdentity,
  seq: number,
  dialectOf: (id: string) => Dialect | undefined,
  noteId: (id: string, text: string) => void,
): Promise<Loaded> {
  const restored = await restoreCheckpoint(log, identity, seq)
  let { state, decoders } = restored
  const ids: [string, string][] = []
  for await (const entry of readEntries(log, identity.id, state.seq + 1, seq)) {
    decoders = stepDecoder(decoders, entry, state, dialectOf, ids)
    state = foldEntry(state, entry)
  }
  for (const [id, text] of ids) noteId(id, text)
  return { ...restored, state, decoders, base: restored.state.seq < 0 ? undefined : restored.state }
}

async function* readEntries(log: Log, session: string, from: number, to: number): AsyncGenerator<Entry> {
  for (let next = from; next <= to; ) {
    const records = await log.read(session, next, { maxBytes: readBytes })
    if (records.length === 0) return
    for (const record of records) {
      if (record.seq > to) return
      yield decodeRecord(record.bytes)
      next = record.seq + 1
    }
  }
}

/** Brings the decoder behind an entry up to date. The stored events stand; only the decoder's state is taken. */
function stepDecoder(
  decoders: Table<unknown>,
  entry: Entry,
  before: SessionState,
  dialectOf: (id: string) => Dialect | undefined,
  ids: [string, string][],
): Table<unknown> {
  const dialect = dialectOf(entry.source.dialect)
  const parsed = entry.raw === undefined ? undefined : parseFrame(entry.raw)
  if (dialect === undefined || parsed?.ok !== true) return decoders
  const id = dialect.identify(parsed.frame.value).id
  if (id !== undefined) ids.push([id, parsed.frame.text])
  const { producer } = entry.source
  const key = decoderKey(producer === undefined ? { dialect } : { dialect, producer })
  const state = tableGet(decoders, key) ?? dialect.decode.initial()
  return tableSet(decoders, key, dialect.decode.step(state, parsed.frame, before).state)
}
