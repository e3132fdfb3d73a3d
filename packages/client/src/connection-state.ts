import type { SluiceError } from '@sluice/protocol'

/** How a subscription stands, for a user interface to show. */
export type ConnectionState =
  | { readonly status: 'connecting' }
  /**
   * Connected, and reading what was there before. `head` is the cursor of the last entry when the connection was made;
   * where that is known only later, the state is told once more.
   */
  | { readonly status: 'catching-up'; readonly head?: string }
  | { readonly status: 'live' }
  /** The platform has no network; goes on by itself. */
  | { readonly status: 'offline' }
  /** Until this time (ms since 1970), because of this failure; goes on by itself. */
  | { readonly status: 'waiting'; readonly untilMs: number; readonly error: SluiceError }
  /** Over: at the end of the session, by the reader, or by an error that the iteration throws. */
  | { readonly status: 'closed' }

export type ConnectionListener = (state: ConnectionState) => void
