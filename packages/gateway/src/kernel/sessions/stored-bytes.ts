import type { Log, SessionHead } from '@sluice/log'
import { omitUndefined, SluiceError } from '@sluice/protocol'
import { type SessionInfo, toInfo } from './session-info.ts'

/** How much the sessions of each owner take in the log, with an upper bound. */
export interface StoredBytes {
  /** Counts what is stored. */
  start(): Promise<void>
  /** Throws `quota_exceeded` if the owner's sessions take as much as they may. */
  assertRoom(owner: string | undefined): void
  add(owner: string | undefined, bytes: number): void
  /** Subtracts a session that was removed. */
  remove(head: SessionHead): void
}

const page = 500

/** Without a limit, nothing is counted. */
export function createStoredBytes(log: Log, limit: number | undefined): StoredBytes {
  let used = new Map<string, number>()

  const add = (owner: string | undefined, bytes: number): void => {
    if (limit === undefined || owner === undefined) return
    used.set(owner, (used.get(owner) ?? 0) + bytes)
  }

  return {
    add,
    async start() {
      if (limit === undefined) return
      used = new Map()
      for (let before: SessionHead | undefined; ; ) {
        const heads: readonly SessionHead[] = await log.list(omitUndefined({ limit: page, before }))
        for (const head of heads) add(ownerOf(head), sizeOf(head))
        before = heads.at(-1)
        if (heads.length < page) return
      }
    },
    assertRoom(owner) {
      if (limit === undefined || owner === undefined || (used.get(owner) ?? 0) < limit) return
      throw new SluiceError('quota_exceeded', { details: { limit } })
    },
    remove(head) {
      add(ownerOf(head), -sizeOf(head))
    },
  }
}

/** What the data that a session keeps besides its entries takes, such as its labels. */
export function infoBytes(info: SessionInfo | SessionHead['info']): number {
  return Buffer.byteLength(JSON.stringify(info))
}

function sizeOf({ bytes, info }: SessionHead): number {
  return bytes + infoBytes(info)
}

function ownerOf({ info }: SessionHead): string | undefined {
  return toInfo(info).owner
}
