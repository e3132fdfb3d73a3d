/** What a caller may want to do with a session. */
export const actions = ['publish', 'subscribe', 'answer', 'run', 'admin'] as const

export type Action = (typeof actions)[number]

/** What a grant looks at when it is asked about a session. */
export interface SessionTarget {
  readonly id: string
  readonly owner?: string
  /** The agent that the session is a run of; without it no grant on agents reaches the session. */
  readonly agent?: string
  readonly labels: Readonly<Record<string, string>>
}

/** Who sends a request, and what that credential reaches. */
export interface Caller {
  /** `anonymous` without a credential. */
  readonly subject: string
  readonly via: 'anonymous' | 'key' | 'jwt' | 'ticket' | 'login'
  /** In milliseconds; streams are reset then. */
  readonly expiresAt: number | undefined
  /** The id of the agent that a publisher is bound to. */
  readonly agent: string | undefined
  /** The one dialect that a ticket reads. */
  readonly readsDialect: string | undefined
  /** The one subscription that a ticket reads. */
  readonly readsSubscription?: string | undefined
  can(action: Action, target: SessionTarget): boolean
  /** Whether a session that does not exist yet may be published to; its owner is the subject. */
  canCreate(target: SessionTarget): boolean
  /** Whether the action is allowed on any session at all. */
  canSome(action: Action): boolean
}

/** Subjects that no key and no token can name. */
export const reservedSubjects: readonly string[] = ['anonymous', 'local']

/** A caller without a credential: reads and publishes, and neither answers nor runs nor administers. */
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
