import type { JsonValue, RunAnswer, SluiceEvent } from '@sluice/protocol'
import type { Escalation } from '../process/end-group.ts'
import type { ExitStatus } from '../process/spawn-group.ts'
import type { Ceiling } from '../request/ceiling.ts'
import type { RequestRules } from '../request/check-request.ts'
import type { CheckedRequest } from '../request/checked-request.ts'

/** How one command-line agent is run and understood: a value, without state. */
export interface CliAgent<S> {
  readonly kind: string
  /** For people, such as `Claude Code`. */
  readonly title: string
  /** How its messages begin, such as `gemini backend error: timeout`. */
  readonly label: string
  /** The program, as it is found on the path. */
  readonly binary: string
  /** The command that installs it. */
  readonly install: string
  /** What prints its version. */
  readonly versionArgs: readonly string[]
  readonly capabilities: readonly string[]
  readonly rules: RequestRules
  /** How it is asked to stop. */
  readonly escalation: Escalation
  /** Throws `run_failed` where it is known beforehand that the agent would not do what is asked. */
  command(request: CheckedRequest, options: CliOptions): CliCommand
  readonly mapper: CliMapper<S>
  /**
   * What standard error says beyond doubt, as the constant with which the run fails, such as `session not found`.
   * What it says otherwise is never told.
   */
  classify(stderr: string, request: CheckedRequest): string | undefined
  /** With which a run fails whose program ended with an error of its own and said nothing else. */
  exitMessage(status: ExitStatus): string
}

/** What the operator configured. No request goes above it, unless the configuration lets requests do so. */
export interface CliOptions extends Ceiling {
  /** A question about a tool waits so long for its answer; then it is refused. */
  readonly askTimeoutMs: number
}

export interface CliCommand {
  readonly args: readonly string[]
  /** What is written first; the prompt is in it. */
  readonly stdin: string
  /** Standard input stays open for answers and messages, until the run has come to its end. */
  readonly keepsStdin: boolean
  /** Variables besides those of the request; undefined takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Turns what an agent prints into events. Pure; never throws, whatever comes. */
export interface CliMapper<S> {
  /** `json`: a line is one JSON value. `text`: a line is a string, without its end. */
  readonly format: 'json' | 'text'
  /** `startedAt` is when the run began, by the clock. */
  initial(request: CheckedRequest, options: CliOptions, startedAt?: number): S
  step(state: S, line: JsonValue): Mapped<S>
  /** The outcome of a question that the agent asked. */
  answer?(state: S, answer: RunAnswer): Mapped<S>
  /** Another message of the user. Undefined where the agent takes none at this moment. */
  message?(state: S, text: string): Mapped<S> | undefined
  /** Lines by which the agent is asked to stop. It has as long to go by itself as it then has for the first signal. */
  stop?(state: S): readonly string[]
  /** Standard output is at its end: what is still open is closed. A good verdict holds if the exit code is one too. */
  end(state: S): Mapped<S>
  /** Lines of standard output that are no output, such as a banner; they are dropped. */
  isBanner?(line: string): boolean
}

export interface Mapped<S> {
  readonly state: S
  readonly events: readonly SluiceEvent[]
  /** The agent says that it is done; the first such word counts. */
  readonly verdict?: Verdict
  /** The agent may be done: this is its word if nothing more comes for a while. Whatever comes takes it back. */
  readonly tentative?: Verdict
  /** The line is JSON, but nothing that this agent can say. */
  readonly isMalformed?: true
  /** Lines for the agent's standard input. */
  readonly write?: readonly string[]
}

/** What the agent itself says of its end. A message is a constant of ours, never a text of the agent's. */
export type Verdict =
  | {
      readonly ok: true
      readonly finalText?: string
      /** The exit code that this end has, where it is not 0. */
      readonly exitCode?: number
    }
  | {
      readonly ok: false
      readonly message: string
      /** It is not waited for the agent to go: what it does is not what it was asked for. */
      readonly endsNow?: true
    }
