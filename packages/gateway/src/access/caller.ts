/** What a caller may do with a session. */
export const actions = ['publish', 'subscribe', 'answer', 'run', 'admin'] as const

export type Action = (typeof actions)[number]

/** The properties of a session that grants are checked against. */
export interface SessionTarget {
  readonly id: string
  readonly owner?: string
  /**
   * The agent that runs the session. Without it, `agent:` grants reach the session only if the caller owns
   * it; they are then matched against the agent that the caller is bound to.
   */
  readonly agent?: string
  readonly labels: Readonly<Record<string, string>>
}

/** The sender of a request, and what its credential allows. */
export interface Caller {
  /** `anonymous` without a credential. */
  readonly subject: string
  readonly via: 'anonymous' | 'key' | 'jwt' | 'ticket' | 'login'
  /** In milliseconds; the caller's streams are reset at that time. */
  readonly expiresAt: number | undefined
  /** The id of the agent that a publisher is bound to. */
  readonly agent: string | undefined
  /** The only dialect that a ticket may read. */
  readonly readsDialect: string | undefined
  /** The only subscription that a ticket may read. */
  readonly readsSubscription?: string | undefined
  can(action: Action, target: SessionTarget): boolean
  /** Whether the caller may publish to a session that does not exist yet; the subject becomes its owner. */
  canCreate(target: SessionTarget): boolean
  /** Whether the action is allowed on any session at all. */
  canSome(action: Action): boolean
}

/** Subjects that no key and no token may name. */
export const reservedSubjects: readonly string[] = ['anonymous', 'local']

/** A caller without a credential: may read and publish, but not answer, run or administer. */
export const anonymous: Caller = {
  subject: 'anonymous',
  via: 'anonymous',
  expiresAt: undefined,
  agent: undefined,
  readsDialect: undefined,
  can: isOpen,
  canCreate: () => true,
  canSome: isOpen,
}

function isOpen(action: Action): boolean {
  return action === 'subscribe' || action === 'publish'
}
