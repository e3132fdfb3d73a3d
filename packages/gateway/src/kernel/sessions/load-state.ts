import { decodeEntry, type Log } from '@sluice/log'
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

export interface LoadTarget {
  /** The entry to load the state after. */
  readonly seq: number
  /** A state at or before that entry; without one, loading starts from a checkpoint. */
  readonly known?: SessionState | undefined
}

/** The state of a session after an entry. */
export async function loadState(
  log: Log,
  identity: SessionIdentity,
  { seq, known }: LoadTarget,
): Promise<SessionState> {
  let state = known ?? (await restoreState(log, identity, seq))
  for await (const entry of readEntries(log, identity.id, { from: state.seq + 1, to: seq }))
    state = foldEntry(state, entry)
  return state
}

export interface Loaded extends Restored {
  /** The state of the checkpoint that it was loaded from. */
  readonly base: SessionState | undefined
}

export interface LoadParts {
  readonly log: Log
  readonly dialectOf: (id: string) => Dialect | undefined
  /** Called for each event id after the checkpoint, in order. */
  readonly noteId: (id: string, text: string) => void
}

/** Everything that a writer needs to continue after entry `seq`. */
export async function loadForWriting(
  { log, dialectOf, noteId }: LoadParts,
  identity: SessionIdentity,
  seq: number,
): Promise<Loaded> {
  const restored = await restoreCheckpoint(log, identity, seq)
  let { state, decoders } = restored
  const ids: [string, string][] = []
  for await (const entry of readEntries(log, identity.id, { from: state.seq + 1, to: seq })) {
    decoders = stepDecoder(decoders, entry, { before: state, dialectOf, ids })
    state = foldEntry(state, entry)
  }
  for (const [id, text] of ids) noteId(id, text)
  return { ...restored, state, decoders, base: restored.state.seq < 0 ? undefined : restored.state }
}

async function* readEntries(
  log: Log,
  session: string,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<Entry> {
  for (let next = from; next <= to; ) {
    const records = await log.read(session, next, { maxBytes: readBytes })
    if (records.length === 0) return
    for (const record of records) {
      if (record.seq > to) return
      yield decodeEntry(session, record)
      next = record.seq + 1
    }
  }
}

interface DecoderStep extends Pick<LoadParts, 'dialectOf'> {
  readonly before: SessionState
  /** Receives the event id of the entry. */
  readonly ids: [string, string][]
}

/** Moves the decoder of an entry past it. Only the decoder's state counts: the events are already stored. */
function stepDecoder(
  decoders: Table<unknown>,
  entry: Entry,
  { before, dialectOf, ids }: DecoderStep,
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
