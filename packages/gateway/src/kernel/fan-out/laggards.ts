import type { Follower } from './follower.ts'
import type { Position } from './position.ts'

/** Stalled followers by the positions at which they continue. */
export interface Laggards {
  readonly size: number
  set(follower: Follower, position: Position): void
  delete(follower: Follower): void
  /** Passes those at a position, and forgets them. */
  passFrom(position: Position): void
  passAll(): void
}

export function createLaggards(): Laggards {
  const positions = new Map<Follower, Position>()
  const followers = new Map<Position, Set<Follower>>()

  const remove = (follower: Follower): void => {
    const position = positions.get(follower)
    if (position === undefined) return
    positions.delete(follower)
    const others = followers.get(position)
    others?.delete(follower)
    if (others?.size === 0) followers.delete(position)
  }

  const passFrom = (position: Position): void => {
    const passed = followers.get(position)
    if (passed === undefined) return
    followers.delete(position)
    for (const follower of passed) positions.delete(follower)
    for (const follower of passed) follower.pass()
  }

  return {
    get size() {
      return positions.size
    },
    set(follower, position) {
      if (positions.get(follower) === position) return
      remove(follower)
      positions.set(follower, position)
      const others = followers.get(position)
      if (others === undefined) followers.set(position, new Set([follower]))
      else others.add(follower)
    },
    delete: remove,
    passFrom,
    passAll() {
      for (const position of [...followers.keys()]) passFrom(position)
    },
  }
}
