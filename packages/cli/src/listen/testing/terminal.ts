import { PassThrough, Writable } from 'node:stream'
import { guardTerminal } from '../../guard-terminal.ts'
import type { Terminal } from '../../io.ts'
import { createBell } from '../bell.ts'

/** A terminal whose keys a test presses and whose lines it reads. */
export interface TestTerminal {
  readonly stdin: PassThrough & { isTTY?: true; setRawMode?(isRaw: boolean): void }
  readonly stdout: Terminal
  readonly stderr: Terminal
  readonly isRaw: boolean
  press(keys: string): void
  /** All lines on standard output so far. */
  lines(): readonly string[]
  /** Resolves when a line has this in it, and answers the lines since the last one that was waited for. */
  until(part: string): Promise<readonly string[]>
  hints(): string
  /** The reader of standard output goes away. */
  leave(): void
}

export function createTerminal(
  given: { readonly isTTY?: boolean; readonly columns?: number } = {},
): TestTerminal {
  const { isTTY = true, columns } = given
  const bell = createBell()
  let text = ''
  let hints = ''
  let seen = 0
  let isRaw = false
  const stdin = new PassThrough()
  if (isTTY)
    Object.assign(stdin, {
      isTTY,
      setRawMode(raw: boolean) {
        isRaw = raw
      },
    })
  const out = createSink((written) => {
    text += written
    bell.ring()
  })
  if (columns !== undefined) Object.assign(out, { isTTY: true, columns })
  const lines = (): readonly string[] => text.split('\n').slice(0, -1)
  return {
    stdin,
    stdout: guardTerminal(out),
    stderr: guardTerminal(
      createSink((written) => {
        hints += written
      }),
    ),
    get isRaw() {
      return isRaw
    },
    press: (keys) => void stdin.write(keys),
    lines,
    async until(part) {
      for (;;) {
        const at = lines().findIndex((line, index) => index >= seen && line.includes(part))
        if (at >= 0) {
          const since = lines().slice(seen, at + 1)
          seen = at + 1
          return since
        }
        await bell.wait()
      }
    },
    hints: () => hints,
    leave: () => void out.destroy(Object.assign(new Error('closed'), { code: 'EPIPE' })),
  }
}

function createSink(take: (text: string) => void): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      take(String(chunk))
      done()
    },
  })
}
