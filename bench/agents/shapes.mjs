import { fileURLToPath } from 'node:url'

/** The program that prints what an agent would. */
export const printer = fileURLToPath(new URL('./printer.mjs', import.meta.url))

/** The environment variable that holds the printer's shape, as JSON. */
export const printerVariable = 'PRINTER'

/**
 * What a run prints, by the row it is reported in, and how many runs a turn has. A gateway stores what it
 * reads, which is so much slower that fewer messages (`stored`) are enough.
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
  // The most messages of a run; each is one line.
  'codex, 64 B': { kind: 'codex', messages: 5000, pieces: 1, textLength: 64, stored: 5000, runs: 5 },
  'codex, 2 KiB': { kind: 'codex', messages: 5000, pieces: 1, textLength: 2048, stored: 2500, runs: 1 },
}

/** A run without messages. */
export const emptyShape = { kind: 'claude_code', messages: 0, pieces: 0, textLength: 0, stored: 0, runs: 10 }

/** What each of many runs prints. */
export const smallShape = { kind: 'claude_code', messages: 1, pieces: 100, textLength: 64 }

/** How many lines a run prints. */
export function linesOf({ kind, messages, pieces }) {
  return kind === 'codex' ? messages + 3 : messages * (pieces + 5) + 3
}

/** How many characters of text its lines hold, each counted once. */
export function textOf({ messages, pieces, textLength }) {
  return messages * pieces * textLength
}

/** The environment that gives the printer its shape. */
export function toEnvironment(shape) {
  return { [printerVariable]: JSON.stringify(shape) }
}
