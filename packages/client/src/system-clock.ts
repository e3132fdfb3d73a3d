import { type Clock, createSystemClock } from '@sluice/protocol'

/**
 * The time of the platform. Its timers keep a process alive, unlike those of a gateway: a script that waits for its next
 * attempt has nothing else open and would end in the middle.
 */
export const systemClock: Clock = createSystemClock({ keepsAlive: true })
