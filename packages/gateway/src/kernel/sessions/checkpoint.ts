import type { Log } from '@sluice/log'
import {
  applyPatch,
  createSessionState,
  diffStates,
  emptyTable,
  type SessionState,
  type StatePatch,
  type Table,
} from '@sluice/protocol'
import type { RecordedIds } from './event-ids.ts'

/** A session at some entry: enough to continue from there without reading the entries before. */
export interface Restored {
  readonly state: SessionState
  /** The decoder of each dialect and producer. */
  readonly decoders: Table<unknown>
  /** The event ids seen so far; undefined without a checkpoint. */
  readonly recorded: RecordedIds | undefined
  readonly chain: ChainSize
}

/** How large the checkpoints are that the next one would build on, in characters. */
export interface ChainSize {
  /** The last standalone checkpoint; 0 without any. */
  readonly full: number
  /** The checkpoints after it, each of which needs the previous one. */
  readonly patches: number
}

/*
 * A checkpoint is two lines of JSON: what every reader needs, and what only a writer does. The ids of a long
 * session take longer to parse than its state.
 */
interface StoredState {
  readonly v: 3
  /** The checkpoint that this one builds on; null if it is standalone. */
  readonly base: number | null
  readonly patch: StatePatch
}

interface StoredForWriter {
  readonly decoders: Table<unknown>
  /** The key of the hashes below, which only the gateway knows. */
  readonly key: string
  /** Unsigned numbers of 32 bits, little-endian, in base64. In a checkpoint that builds on another: those since. */
  readonly ids: string
  readonly chain: ChainSize
}

const version = 3
const noChain: ChainSize = { full: 0, patches: 0 }

/** What a writer passes on to be stored. */
export interface CheckpointParts {
  /** The state of the previous checkpoint; undefined without one. */
  readonly base: SessionState | undefined
  readonly state: SessionState
  readonly decoders: Table<unknown>
  readonly chain: ChainSize
  freshIds(): RecordedIds
  allIds(): RecordedIds
}

/**
 * Stores a checkpoint and returns the size of its chain. It is standalone when those since the last
 * standalone one have grown as large as that one: so all of them together stay linear in the log, and reading
 * one back is linear in the state.
 */
export async function keepCheckpoint(log: Log, parts: CheckpointParts): Promise<ChainSize> {
  const { base, state, decoders, chain } = parts
  const fresh = parts.freshIds()
  const isDue = base === undefined || chain.patches >= chain.full
  const patch = diffStates(isDue ? createSessionState(state) : base, state)
  const isFull = isDue || patch.isWhole === true
  const stored: StoredState = { v: version, base: isFull ? null : base.seq, patch }
  const stateLine = JSON.stringify(stored)
  const recorded = isFull ? parts.allIds() : fresh
  const ids = formatNumbers(recorded.ids)
  const size = stateLine.length + ids.length
  const next: ChainSize = isFull
    ? { full: size, patches: 0 }
    : { full: chain.full, patches: chain.patches + size }
  const writerLine = JSON.stringify({
    decoders,
    key: recorded.key,
    ids,
    chain: next,
  } satisfies StoredForWriter)
  const bytes = Buffer.from(`${stateLine}\n${writerLine}`)
  await log.putCheckpoint(state.id, { seq: state.seq, bytes })
  return next
}

interface Identity {
  readonly id: string
  readonly foreign?: string | undefined
  readonly context?: string | undefined
}

/** The state of the latest checkpoint at or before `seq`; an empty session when none can be read. */
export async function restoreState(log: Log, identity: Identity, seq: number): Promise<SessionState> {
  return fold(identity, await readChain(log, identity.id, seq))
}

/** The same, with what a writer needs to continue. */
export async function restoreCheckpoint(log: Log, identity: Identity, seq: number): Promise<Restored> {
  const chain = await readChain(log, identity.id, seq)
  const forWriter = chain.map(({ bytes }) => parseLine<StoredForWriter>(bytes, 1))
  const last = forWriter.at(-1)
  // A fenced writer may have stored a link after all, with hashes of another key.
  if (last === undefined || forWriter.some((stored) => stored?.key !== last.key))
    return {
      state: createSessionState(identity),
      decoders: emptyTable(),
      recorded: undefined,
      chain: noChain,
    }
  const ids = parseNumbers(forWriter.map((stored) => stored?.ids ?? ''))
  return {
    state: fold(identity, chain),
    decoders: last.decoders,
    recorded: { key: last.key, ids },
    chain: last.chain,
  }
}

function formatNumbers(numbers: Uint32Array): string {
  const bytes = Buffer.alloc(numbers.length * 4)
  for (const [index, number] of numbers.entries()) bytes.writeUInt32LE(number, index * 4)
  return bytes.toString('base64')
}

function parseNumbers(texts: readonly string[]): Uint32Array {
  const bytes = Buffer.concat(texts.map((text) => Buffer.from(text, 'base64')))
  return Uint32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readUInt32LE(index * 4))
}

interface Link {
  readonly patch: StatePatch
  readonly bytes: Buffer
}

/** A checkpoint and those that it builds on, from the standalone one; empty if one of them cannot be read. */
async function readChain(log: Log, session: string, seq: number): Promise<readonly Link[]> {
  const chain: Link[] = []
  for (let at: number | null = seq; at !== null; ) {
    const found = await log.checkpoint(session, at)
    const bytes = found === undefined ? undefined : Buffer.from(found.bytes)
    const stored = bytes === undefined ? undefined : parseLine<StoredState>(bytes, 0)
    const isLinked = chain.length === 0 || found?.seq === at
    if (bytes === undefined || stored?.v !== version || !isLinked) return []
    chain.unshift({ patch: stored.patch, bytes })
    at = stored.base
  }
  return chain
}

function fold(identity: Identity, chain: readonly Link[]): SessionState {
  return chain.reduce((state, { patch }) => applyPatch(state, patch), createSessionState(identity))
}

/** One of the two lines; undefined if it is damaged. */
function parseLine<T>(bytes: Buffer, line: 0 | 1): T | undefined {
  const end = bytes.indexOf('\n')
  if (end < 0) return undefined
  try {
    return JSON.parse(bytes.toString('utf8', ...(line === 0 ? [0, end] : [end + 1]))) as T // written by keepCheckpoint()
  } catch {
    return undefined
  }
}
