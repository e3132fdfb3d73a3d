import type { AgentIdentity, Outcome, Part, QuestionClose, QuestionType, Risk } from './events.ts'
import type { JsonObject } from './json.ts'

/** A session as a gateway lists it (docs/http-api.md, "Sessions"). */
export interface SessionResource {
  readonly id: string
  readonly foreign?: string
  readonly context?: string
  readonly owner?: string
  readonly labels: Readonly<Record<string, string>>
  readonly attributes: JsonObject
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
  /** The number of its last entry; -1 before the first. */
  readonly seq: number
  readonly state: 'open' | 'waiting' | 'ended'
  readonly status: string
  readonly outcome?: Outcome
  /** The number of open questions. */
  readonly questions: number
  /** The number of findings in its entries. */
  readonly findings: number
  readonly agent?: AgentIdentity
  readonly dialect?: string
  readonly title?: string
}

/** An agent that a gateway runs (docs/http-api.md, "Agents"). */
export interface AgentResource {
  readonly name: string
  readonly kind: string
  /** For people. */
  readonly title: string
  /** Ids such as `agent_api.run`. */
  readonly capabilities: readonly string[]
  readonly installed: boolean
  readonly version?: string
  /** How to install it. */
  readonly hint?: string
  /** Where it may work, for callers that may run it; absent if it works nowhere. */
  readonly workingDirs?: readonly string[]
  /** The number of its runs in progress, and of those in the queue. */
  readonly active: number
  readonly queued: number
}

export interface SessionPage {
  readonly sessions: readonly SessionResource[]
  /** Names the next page. A page may be short or empty while there is one. */
  readonly next?: string
}

/** A question with its outcome (docs/http-api.md, "Questions"). */
export interface QuestionResource {
  readonly token: string
  /** The agent's own token, if it differs. */
  readonly agentToken?: string
  readonly question: QuestionType
  readonly text: string
  readonly risk?: Risk
  readonly irreversible?: boolean
  readonly timeoutMs?: number
  readonly default?: string
  /** When it was asked, in ms since 1970, and in which entry. */
  readonly openedAt: number
  readonly seq: number
  /** Absent while it is open. */
  readonly closedAt?: number
  readonly closedSeq?: number
  readonly how?: QuestionClose['how']
  readonly decision?: string
  readonly response?: string | number | boolean
  /** The subject of the person who answered, and how the answer came: by `http`, `ws` or `aaep`. */
  readonly by?: string
  readonly via?: string
  /**
   * The publisher of the session closed it: the outcome is the publisher's claim, not what the gateway saw.
   */
  readonly claimed?: true
  /** Who answered, according to the publisher. */
  readonly claimedBy?: string
}

/** How a gateway identifies its caller (docs/http-api.md, "Login"). */
export interface CallerResource {
  /** Absent without a credential. */
  readonly subject?: string
  readonly via: 'anonymous' | 'key' | 'jwt' | 'ticket' | 'login'
  /** What at least one grant allows, on any sessions. */
  readonly actions: readonly ('publish' | 'subscribe' | 'answer' | 'run' | 'admin')[]
  /** When the credential expires, in ms since 1970. */
  readonly expiresAt?: number
}

/** A temporary substitute for a key or a JWT (docs/http-api.md, "Login"). */
export interface LoginResource {
  /** Sent as a bearer token, like the credential that it replaces. */
  readonly token: string
  /** In ms since 1970. */
  readonly expiresAt: number
}

/** A dialect that a gateway speaks. */
export interface DialectResource {
  readonly id: string
  /** For people. */
  readonly title: string
}

interface InputOrigin {
  readonly seq: number
  readonly at: number
  /** The subject of the sender. */
  readonly by?: string
}

/** What was sent to the agent. */
export type Input =
  | (InputOrigin & {
      readonly type: 'answer'
      /** The agent's own token, even if people answered under another one. */
      readonly token: string
      /** Whether somebody answered, or nobody did in time and the default applies. */
      readonly how: 'answered' | 'timeout'
      readonly decision?: string
      readonly response?: string | number | boolean
    })
  | (InputOrigin & { readonly type: 'cancel'; readonly reason?: string })
  | (InputOrigin & { readonly type: 'message'; readonly id: string; readonly parts: readonly Part[] })
