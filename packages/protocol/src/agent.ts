import type { Clock } from './clock.ts'
import type { SluiceEvent } from './events.ts'
import type { JsonObject } from './json.ts'

/** What an agent is asked to do (Unified Agent API, run request). */
export interface RunRequest {
  readonly prompt: string
  readonly workingDir?: string
  /**
   * Further directories, in place of the extension that names them: absolute real paths that were checked. An agent uses
   * them exactly as they are.
   */
  readonly addDirs?: readonly string[]
  /** From the call of `run()` on; 0 asks for no limit. */
  readonly timeoutMs?: number
  readonly env?: Readonly<Record<string, string>>
  /** By capability id, such as `agent_api.config.model.v1`. */
  readonly extensions?: JsonObject
}

/** A group of processes that a run began, so that it can be found and ended by somebody else. */
export interface RunProcess {
  /** Of the first process, and of the group. */
  readonly pid: number
  /** What the system says of when it began, to tell it from a later process with this pid. */
  readonly startMark: string
  /** What every process of the group has in its environment. */
  readonly marker: string
}

/** What the one who runs an agent gives it. */
export interface RunHost {
  readonly clock: Clock
  /** A process was begun. It gets its prompt when this is done, and is ended when this fails. */
  onProcess?(process: RunProcess): Promise<void>
}

/** What a run says at one moment: events of the model, or a frame of a contract as it came. */
export type RunOutput =
  | { readonly type: 'events'; readonly events: readonly SluiceEvent[] }
  | { readonly type: 'frame'; readonly dialect: string; readonly text: string }

/** The outcome of a question that the run asked, by the token that it gave. */
export interface RunAnswer {
  readonly token: string
  readonly how: 'answered' | 'timeout'
  readonly decision?: string
  readonly response?: string | number | boolean
}

/** How a run ended that did not fail. */
export interface RunCompletion {
  readonly status: { readonly code: number | null; readonly signal: string | null }
  readonly finalText?: string
  /** The agent's own session, by which it can be taken up again. */
  readonly handle?: string
}

/** A run under way. */
export interface Run {
  /**
   * To be read once. At most 32 outputs wait, then the agent does. Leaving it early neither stops the agent nor holds
   * up its completion. A failure is told as one last notice of level `error`, with the message of the completion.
   */
  readonly outputs: AsyncIterable<RunOutput>
  /**
   * Settles once the agent has exited and its outputs were read to their end, or left. Rejects with `run_cancelled`,
   * and with `run_failed` and its message.
   */
  readonly completion: Promise<RunCompletion>
  /** Ends the run: gently, then by force, with everything it started. Outputs end at once. Again, or late: nothing. */
  cancel(): void
  /** Tells the outcome of a question. One that the run did not ask is ignored. */
  answer(answer: RunAnswer): void
  /** Hands over another message of the user. False where this agent takes none, or no more. */
  message(text: string): boolean
}

/** What a machine has of an agent. */
export interface AgentPresence {
  readonly isInstalled: boolean
  readonly version?: string
  /** Where it was found. */
  readonly path?: string
  /** What to do to have it: a command, or a sentence. */
  readonly hint?: string
}

/** Something that can be asked to do work: the port between a gateway and its agents. */
export interface Agent {
  /** Of letters, digits and underscores, such as `claude_code`. */
  readonly kind: string
  /** Ids such as `agent_api.run`, sorted. */
  readonly capabilities: readonly string[]
  look(): Promise<AgentPresence>
  /** Throws what `run()` throws for this request, and begins nothing. */
  check(request: RunRequest): void
  /**
   * Begins a run and answers at once; that it cannot be begun shows in the run. Throws `invalid_run`, `run_failed`,
   * `run_not_permitted` and `unsupported_capability` for a request that this agent does not take: then nothing was begun.
   */
  run(request: RunRequest, host: RunHost): Run
}
