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

/** Where a session stood: enough to go on from there without reading the entries before. */
export interface Restored {
  readonly state: SessionState
  /** The decoder of each dialect and producer. */
  readonly decoders: Table<unknown>
  /** The event ids seen so far, see IdIndex. */
  readonly ids: readonly number[]
  readonly chain: ChainSize
}

/** How large the checkpoints are on which the next one would build, in characters. */
export interface ChainSize {
  /** The last one that stands alone; 0 without any. */
  readonly full: number
  /** Those behind it, each of which needs the one before. */
  readonly patches: number
}

interface StoredCheckpoint {
  readonly v: 1
  /** The checkpoint that this one builds on; null if it stands alone. */
  readonly base: number | null
  readonly patch: StatePatch
  readonly decoders: Table<unknown>
  /** Of a checkpoint that builds on another: those seen since. */
  readonly ids: readonly number[]
  readonly chain: ChainSize
}

const version = 1
const noChain: ChainSize = { full: 0, patches: 0 }

/** What a writer hands over to be kept. */
export interface CheckpointParts {
  /** The state of the checkpoint before; undefined without one. */
  readonly base: SessionState | undefined
  readonly state: SessionState
  readonly decoders: Table<unknown>
  readonly chain: ChainSize
  freshIds(): readonly number[]
  allIds(): readonly number[]
}

/**
 * Keeps a checkpoint and answers the size of its chain. It stands alone when those since the last such one have grown as
 * large as that one: so all of them together stay linear in the log, and reading one back is linear in the state.
 */
export async function keepCheckpoint(log: Log, parts: CheckpointParts): Promise<ChainSize> {
  const { base, state, decoders, chain } = parts
  const isFull = base === undefined || chain.patches >= chain.full
  const fresh = parts.freshIds()
  const empty = createSessionState(state)
  const body: Omit<StoredCheckpoint, 'chain'> = {
    v: version,
    base: isFull ? null : base.seq,
    patch: diffStates(isFull ? empty : base, state),
    decoders,
    ids: isFull ? parts.allIds() : fresh,
  }
  const text = JSON.stringify(body)
  const next: ChainSize = isFull
    ? { full: text.length, patches: 0 }
    : { full: chain.full, patches: chain.patches + text.length }
  const stored = `${text.slice(0, -1)},"chain":${JSON.stringify(next)}}`
  await log.putCheckpoint(state.id, { seq: state.seq, bytes: Buffer.from(stored) })
  return next
}

/** The latest checkpoint at or before `seq`; an empty session when there is none that can be read. */
export async function restoreCheckpoint(
  log: Log,
  identity: {
    readonly id: string
    readonly foreign?: string | undefined
    readonly context?: string | undefined
  },
  seq: number,
): Promise<Restored> {
  const chain: StoredCheckpoint[] = []
  for (let at: number | null = seq; at !== null; ) {
    const found = await log.checkpoint(identity.id, at)
    const stored = found === undefined ? undefined : parseCheckpoint(found.bytes)
    if (stored === undefined || (chain.length > 0 && found?.seq !== at)) return blank(identity)
    chain.push(stored)
    at = stored.base
  }
  const [last] = chain
  if (last === undefined) return blank(identity)
  let state = createSessionState(identity)
  let ids: readonly number[] = []
  for (const { patch, ids: added } of chain.reverse()) {
    state = applyPatch(state, patch)
    ids = ids.length === 0 ? added : ids.concat(added)
  }
  return { state, decoders: last.decoders, ids, chain: last.chain }
}

function blank(identity: Parameters<typeof createSessionState>[0]): Restored {
  return { state: createSessionState(identity), decoders: emptyTable(), ids: [], chain: noChain }
}

function parseCheckpoint(bytes: Uint8Array): StoredCheckpoint | undefined {
  try {
    const stored = JSON.parse(Buffer.from(bytes).toString('utf8')) as StoredCheckpoint // written by keepCheckpoint()
    return stored.v === version ? stored : undefined
  } catch {
    return undefined
  }
}
