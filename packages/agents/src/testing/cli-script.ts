import type { FakeStep } from './fake-program.ts'

/** Marks text that must not leak: in a program's input, in its other output, in tools. */
export const sentinels = {
  prompt: 'SENTINEL-PROMPT',
  env: 'SENTINEL-ENV',
  garbage: 'SENTINEL-GARBAGE',
  stderr: 'SENTINEL-STDERR',
  args: 'SENTINEL-ARGS',
  output: 'SENTINEL-OUTPUT',
} as const

/** A tool in a script. The input goes somewhere into the arguments, the output into the result. */
export interface ScriptedTool {
  readonly id: string
  readonly input: string
  readonly output: string
  readonly ok: boolean
}

/** Lines that a program prints: a string unchanged, anything else as JSON. */
export type Lines = readonly unknown[]

/**
 * What one command-line agent prints, in its own format. A member is absent, and not tested, if the agent has
 * no format for it.
 */
export interface CliScript {
  /** The first lines. */
  readonly init: Lines
  /** The session that these lines name. */
  readonly handle?: string
  /** A message in these pieces, and again as a whole if the program repeats it. */
  text(pieces: readonly string[], id: string): Lines
  /** A message that only comes as a whole. */
  whole?(text: string, id: string): Lines
  /** Tools that run at the same time. If the program prints starts and ends, all start before one ends. */
  tools?(tools: readonly ScriptedTool[]): Lines
  /** A failure with a retry, which becomes a notice of level `warning`. */
  readonly retryable?: Lines
  /** The last lines of a successful run; empty if only the exit code shows the success. */
  readonly success: Lines
  /** Its standard input stays open during the run. */
  readonly keepsStdin?: true
  /** The success counts only if nothing follows it. */
  readonly isTentative?: true
  readonly failure?: { readonly lines: Lines; readonly message: string }
  /** Reports a success but means a failure. */
  readonly disguised?: { readonly lines: Lines; readonly message: string }
  /** The program asks whether a tool may run. `input` goes into the arguments. */
  readonly permission?: {
    ask(input: string): Lines
    /** Part of the line that allows it, and of the line that refuses it. */
    readonly allowed: string
    readonly refused: string
  }
}

/** Prints these lines. */
export function print(...groups: readonly Lines[]): readonly FakeStep[] {
  return groups.flat().map((line) => ({ print: line }))
}
