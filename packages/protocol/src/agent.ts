import type { Clock } from './clock.ts'
import type { SluiceEvent } from './events.ts'
import type { JsonObject } from './json.ts'
import type { StopSignal } from './pause.ts'

/** A task for an agent (Unified Agent API, run request). */
export interface RunRequest {
  readonly prompt: string
  readonly workingDir?: string
  /**
   * Additional directories, in place of the extension that names them: absolute real paths, already checked.
   * An agent uses them exactly as they are.
   */
  readonly addDirs?: readonly string[]
  /** Counted from the call of `run()`; 0 asks for no limit. */
  readonly timeoutMs?: number
  readonly env?: Readonly<Record<string, string>>
  /** Keyed by capability id, such as `agent_api.config.model.v1`. */
  readonly extensions?: JsonObject
}

/** A process group that a run started, described so that another process can find and kill it. */
export interface RunProcess {
  /** The id of the first process and of the group. */
  readonly pid: number
  /**
   * When the process started, in the system's own form; distinguishes it from a later process with this pid.
   */
  readonly startMark: string
  /** Every process of the group has this in its environment. */
  readonly marker: string
}

/** What the caller of `run()` provides. */
export interface RunHost {
  readonly clock: Clock
  /**
   * Reports a process that has started. The process gets its prompt once this resolves, and is killed if it
   * rejects.
   */
  onProcess?(process: RunProcess): Promise<void>
}

/** One output of a run: events of the model, or a frame of a dialect as received. */
export type RunOutput =
  | { readonly type: 'events'; readonly events: readonly SluiceEvent[] }
  | { readonly type: 'frame'; readonly dialect: string; readonly text: string }

/** The outcome of a question that the run asked, by the token that the run gave it. */
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
  /** The agent's own session, by which it can be resumed. */
  readonly handle?: string
}

/** A run in progress. */
export interface Run {
  /**
   * Can be read once. At most 32 outputs wait; then the agent does. Leaving the iteration early neither stops
   * the agent nor delays its completion. A failure appears as one last notice of level `error`, with the
   * message of the completion.
   */
  readonly outputs: AsyncIterable<RunOutput>
  /**
   * Settles once the agent has exited and its outputs have been read to the end, or abandoned. Rejects with
   * `run_cancelled`, or with `run_failed` and its message.
   */
  readonly completion: Promise<RunCompletion>
  /**
   * Ends the run and everything it started: gently, then by force. Outputs end immediately. Does nothing when
   * called again or after the end.
   */
  cancel(): void
  /** Ends what is left of a cancelled run by force, without further notice. */
  kill?(): void
  /** Passes on the outcome of a question. Ignores one that the run did not ask. */
  answer(answer: RunAnswer): void
  /**
   * Passes on another message of the user. False if this agent does not accept messages, or no longer does.
   */
  message(text: string): boolean
}

/** An agent's installation on a machine. */
export interface AgentPresence {
  readonly isInstalled: boolean
  readonly version?: string
  /** The path where it was found. */
  readonly path?: string
  /** How to install it: a command, or a sentence. */
  readonly hint?: string
}

/** A program or service that does work on request: the port between a gateway and its agents. */
export interface Agent {
  /** Letters, digits and underscores, such as `claude_code`. */
  readonly kind: string
  /** Sorted ids such as `agent_api.run`. */
  readonly capabilities: readonly string[]
  /** Stops looking, with whatever it has started for that, when the signal aborts. */
  look(signal?: StopSignal): Promise<AgentPresence>
  /** Throws what `run()` throws for this request, without starting anything. */
  check(request: RunRequest): void
  /**
   * Starts a run and returns immediately; a failed start shows in the run. Throws `invalid_run`,
   * `run_failed`, `run_not_permitted` or `unsupported_capability`, without starting anything, for a request
   * that this agent does not accept.
   */
  run(request: RunRequest, host: RunHost): Run
}
