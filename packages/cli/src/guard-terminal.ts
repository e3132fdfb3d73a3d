import type { Io, RawIo, RawStream, Terminal } from './io.ts'
import { escapeControls } from './safe-text.ts'

/**
 * The one way to a terminal, a pipe or a file: every control character in what is written becomes an escape such as
 * \u009b. Inside of JSON that is the same character, so that nothing is lost for a program that reads it.
 */
export function guardTerminal(stream: RawStream): Terminal {
  return {
    isTTY: stream.isTTY === true,
    // A window changes its size. One of 0 columns does not know it.
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

export function guardIo({ stdin, stdout, stderr, env }: RawIo): Io {
  return { stdin, stdout: guardTerminal(stdout), stderr: guardTerminal(stderr), env }
}
