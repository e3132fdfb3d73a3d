import type { JsonValue, RunAnswer, SluiceEvent } from '@sluice/protocol'
import type { Escalation } from '../process/end-group.ts'
import type { ExitStatus } from '../process/spawn-group.ts'
import type { Ceiling } from '../request/ceiling.ts'
import type { RequestRules } from '../request/check-request.ts'
import type { CheckedRequest } from '../request/checked-request.ts'

/** How one command-line agent is run and read. A value, without state. */
export interface CliAgent<S> {
  readonly kind: string
  /** Display name, such as `Claude Code`. */
  readonly title: string
  /** Begins its failure messages: `gemini` in `gemini backend error: timeout`. */
  readonly label: string
  /** The program, as found on the path. */
  readonly binary: string
  /** The command that installs it. */
  readonly install: string
  /** The arguments that make it print its version. */
  readonly versionArgs: readonly string[]
  readonly capabilities: readonly string[]
  readonly rules: RequestRules
  /** The signals that stop it. */
  readonly escalation: Escalation
  /** Throws `run_failed` if it is clear beforehand that the agent would not do what the request asks. */
  command(request: CheckedRequest, options: CliOptions): CliCommand
  readonly mapper: CliMapper<S>
  /**
   * The failure that standard error shows beyond doubt, as a constant text such as `session not found`.
   * Nothing else of standard error is ever shown.
   */
  classify(stderr: string, request: CheckedRequest): string | undefined
  /** The failure of a run whose program exited with an error and reported nothing else. */
  exitMessage(status: ExitStatus): string
}

/** What the operator configured. A request cannot exceed it, unless the configuration allows that. */
export interface CliOptions extends Ceiling {
  /** How long a question waits for its answer before it is refused. */
  readonly askTimeoutMs: number
}

export interface CliCommand {
  readonly args: readonly string[]
  /** What is written first: the prompt, or the first message of a protocol that sends the prompt later. */
  readonly stdin: string
  /** Standard input stays open for answers and messages until the end of the run. */
  readonly keepsStdin: boolean
  /** Variables in addition to those of the request; undefined removes one. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Maps the output of an agent to events. Pure; never throws, whatever the output is. */
export interface CliMapper<S> {
  /** `json`: each line is one JSON value. `text`: each line is a string, without its line end. */
  readonly format: 'json' | 'text'
  /** `startedAt` is the time at which the run began, by the clock. */
  initial(request: CheckedRequest, options: CliOptions, startedAt?: number): S
  step(state: S, line: JsonValue): Mapped<S>
  /** Takes the outcome of a question that the agent asked. */
  answer?(state: S, answer: RunAnswer): Mapped<S>
  /** Takes another user message. Undefined if the agent accepts none at this moment. */
  message?(state: S, text: string): Mapped<S> | undefined
  /** Lines that ask the agent to stop. It then has the grace time of the first signal before that is sent. */
  stop?(state: S): readonly string[]
  /** Closes everything open at the end of standard output. A success counts only if the exit code agrees. */
  end(state: S): Mapped<S>
  /** Whether a line of standard output is not real output, such as a banner. Such lines are dropped. */
  isBanner?(line: string): boolean
}

export interface Mapped<S> {
  readonly state: S
  readonly events: readonly SluiceEvent[]
  /** The agent reports that it is done. The first verdict counts. */
  readonly verdict?: Verdict
  /** The agent may be done: its verdict if nothing else arrives for a while. Any further line revokes it. */
  readonly tentative?: Verdict
  /** The line is JSON, but not a line that this agent can print. */
  readonly isMalformed?: true
  /** Lines for the agent's standard input. */
  readonly write?: readonly string[]
}

/** The agent's own report of its end. A message is one of our constants, never the agent's text. */
export type Verdict =
  | {
      readonly ok: true
      readonly finalText?: string
      /** The exit code of this success, if it is not 0. */
      readonly exitCode?: number
    }
  | {
      readonly ok: false
      readonly message: string
      /** Ends the agent immediately, because it does not do what the request asked. */
      readonly endsNow?: true
    }
