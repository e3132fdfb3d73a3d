import type { FakeStep } from './fake-program.ts'

/** What stands where it may not be told: in what a program is given, in what it prints beside, in tools. */
export const sentinels = {
  prompt: 'SENTINEL-PROMPT',
  env: 'SENTINEL-ENV',
  garbage: 'SENTINEL-GARBAGE',
  stderr: 'SENTINEL-STDERR',
  args: 'SENTINEL-ARGS',
  output: 'SENTINEL-OUTPUT',
} as const

/** A tool as a script has it. The input goes somewhere into the arguments, the output into the result. */
export interface ScriptedTool {
  readonly id: string
  readonly input: string
  readonly output: string
  readonly ok: boolean
}

/** Lines as a program prints them: a text as it is, anything else as JSON. */
export type Lines = readonly unknown[]

/** What one command-line agent prints, in its own words. What it has no words for is absent, and is not tested. */
export interface CliScript {
  /** What comes first. */
  readonly init: Lines
  /** The session that the agent tells in them. */
  readonly handle?: string
  /** A message that comes in these pieces, and again as a whole if the program does so. */
  text(pieces: readonly string[], id: string): Lines
  /** A message that comes as a whole only. */
  whole?(text: string, id: string): Lines
  /** Tools that run at the same time; where the program tells start and end apart, all start before one ends. */
  tools?(tools: readonly ScriptedTool[]): Lines
  /** Something failed and is tried again; a notice of level `warning` tells it. */
  readonly retryable?: Lines
  /** The last word of a run that went well; empty where the exit alone tells. */
  readonly success: Lines
  /** Its standard input stays open during the run. */
  readonly keepsStdin?: true
  /** That word counts only if nothing follows it. */
  readonly isTentative?: true
  readonly failure?: { readonly lines: Lines; readonly message: string }
  /** Says success and means failure. */
  readonly disguised?: { readonly lines: Lines; readonly message: string }
  /** The program asks whether a tool may run. `input` goes into the arguments. */
  readonly permission?: {
    ask(input: string): Lines
    /** Part of the line by which it is allowed, and by which it is refused. */
    readonly allowed: string
    readonly refused: string
  }
}

/** Prints these lines. */
export function print(...groups: readonly Lines[]): readonly FakeStep[] {
  return groups.flat().map((line) => ({ print: line }))
}
