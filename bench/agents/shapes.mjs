import { fileURLToPath } from 'node:url'

/** The program that prints what an agent would. */
export const printer = fileURLToPath(new URL('./printer.mjs', import.meta.url))

/** The variable by which the printer is told what to print. */
export const printerVariable = 'PRINTER'

/**
 * What is printed in a run, by the row that it makes, and how many runs there are in a turn. A gateway stores what it reads,
 * which takes so much longer that fewer messages are enough.
 */
export const shapes = {
  'claude_code, 64 B': {
    kind: 'claude_code',
    messages: 400,
    pieces: 250,
    textLength: 64,
    stored: 80,
    runs: 1,
  },
  'claude_code, 2 KiB': {
    kind: 'claude_code',
    messages: 40,
    pieces: 250,
    textLength: 2048,
    stored: 10,
    runs: 1,
  },
  // No run says more messages than this, and each is one line.
  'codex, 64 B': { kind: 'codex', messages: 5000, pieces: 1, textLength: 64, stored: 5000, runs: 5 },
  'codex, 2 KiB': { kind: 'codex', messages: 5000, pieces: 1, textLength: 2048, stored: 2500, runs: 1 },
}

/** A run in which nothing is said. */
export const emptyShape = { kind: 'claude_code', messages: 0, pieces: 0, textLength: 0, stored: 0, runs: 10 }

/** What each of many runs prints. */
export const smallShape = { kind: 'claude_code', messages: 1, pieces: 100, textLength: 64 }

/** How many lines are printed. */
export function linesOf({ kind, messages, pieces }) {
  return kind === 'codex' ? messages + 3 : messages * (pieces + 5) + 3
}

/** How many characters of text they hold, each counted once. */
export function textOf({ messages, pieces, textLength }) {
  return messages * pieces * textLength
}

/** How the printer is told. */
export function toEnvironment(shape) {
  return { [printerVariable]: JSON.stringify(shape) }
}
