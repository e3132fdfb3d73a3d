import { createSystemClock } from '@sluice/protocol'
import type { Io, RawIo, RawStream, Terminal } from './io.ts'
import { escapeControls } from './safe-text.ts'

/**
 * The one way to a terminal, a pipe or a file: writes every control character as an escape such as \u009b. Inside JSON
 * that is the same character, so a program that reads it loses nothing.
 */
export function guardTerminal(stream: RawStream): Terminal {
  return {
    isTTY: stream.isTTY === true,
    // A window can be resized. 0 columns mean that the width is unknown.
    get columns() {
      return stream.isTTY === true && stream.columns !== 0 ? stream.columns : undefined
    },
    write: (text) => stream.write(escapeControls(text)),
    redraw: (text) => void stream.write(`\r\u001b[K${escapeControls(text)}`),
    on: (event, listener) => void stream.on(event, listener),
    off: (event, listener) => void stream.off(event, listener),
    once: (event, listener) => void stream.once(event, listener),
  }
}

export function guardIo({ stdin, stdout, stderr, env, clock = createSystemClock() }: RawIo): Io {
  return { stdin, stdout: guardTerminal(stdout), stderr: guardTerminal(stderr), env, clock }
}
