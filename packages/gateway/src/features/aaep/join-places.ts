import { SluiceError } from '@sluice/protocol'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Session } from '../../kernel/sessions/session.ts'
import { findEvent } from './find-event.ts'
import type { Place, Places } from './registry-history.ts'
import type { Subscription } from './registry-subscription.ts'

/**
 * Where to join the sessions of a subscription: after `lastEventId`, or where the subscription begins.
 * Sessions without a place are joined at their start.
 */
export async function joinPlaces(
  kernel: Kernel,
  subscription: Subscription,
  lastEventId: string | undefined,
): Promise<Places> {
  const { sessions } = subscription
  if (lastEventId === undefined)
    return mapValues(await subscription.begin(), (place) =>
      place.seq < 0 ? place : { ...place, introduced: 0 },
    )
  const only = sessions?.length === 1 ? sessions[0] : undefined
  if (only !== undefined) {
    const session = await kernel.directory.find(only)
    return session === undefined ? new Map() : new Map([[only, await placeBehind(session, lastEventId)]])
  }
  const places = await subscription.rewind(lastEventId)
  if (places !== undefined) return places
  // Aged out: every session is introduced in its current state.
  const standing = new Map<string, Place>()
  for (const id of sessions ?? (await subscription.places())?.keys() ?? []) {
    const session = await findAlive(kernel, id)
    if (session !== undefined && session !== 'deleted') standing.set(id, asItStands(session))
  }
  await subscription.restart(standing)
  return standing
}

/** The place of a session that is introduced in its current state. */
export function asItStands({ lastSeq }: Session): Place {
  return { seq: lastSeq, introduced: 0 }
}

/** A session, or the reason why it cannot be found: deleted, or undefined if it has not begun. */
export async function findAlive(kernel: Kernel, id: string): Promise<Session | 'deleted' | undefined> {
  try {
    return await kernel.directory.find(id)
  } catch (error) {
    if (error instanceof SluiceError && error.code === 'session_deleted') return 'deleted'
    throw error
  }
}

async function placeBehind(session: Session, id: string): Promise<Place> {
  const found = await findEvent(session, id)
  if (found === undefined) return asItStands(session)
  return found.told === undefined ? found.cursor : { ...found.cursor, introduced: found.told + 1 }
}

function mapValues<A, B>(map: ReadonlyMap<string, A>, to: (value: A) => B): ReadonlyMap<string, B> {
  return new Map([...map].map(([key, value]) => [key, to(value)]))
}
