import type { SluiceError } from '@sluice/protocol'

/** The state of a subscription, for a user interface. */
export type ConnectionState =
  | { readonly status: 'connecting' }
  /**
   * Connected, and reading older entries. `head` is the cursor of the last entry when the connection opened;
   * if it becomes known only later, the state is reported again.
   */
  | { readonly status: 'catching-up'; readonly head?: string }
  | { readonly status: 'live' }
  /** The platform has no network. Continues by itself. */
  | { readonly status: 'offline' }
  /** Waits until this time (ms since 1970), because of this failure. Continues by itself. */
  | { readonly status: 'waiting'; readonly untilMs: number; readonly error: SluiceError }
  /** Over: the session ended, the reader left, or the iteration throws an error. */
  | { readonly status: 'closed' }

export type ConnectionListener = (state: ConnectionState) => void
