import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createBell } from '../bell.ts'

const launcher = fileURLToPath(new URL('../../../bin/sluice.js', import.meta.url))

/** The sluice command in its own terminal. */
export interface Pty {
  press(keys: string): void
  /** Resolves when the screen shows this text after the previous match. */
  until(text: string): Promise<void>
  /** Everything that the terminal received. */
  screen(): string
  exited(): Promise<number | null>
  /** Closes the terminal if the command still runs. */
  close(): void
}

/** Whether `script` of util-linux can create a terminal. Throws if not and SLUICE_REQUIRE is `all`. */
export function hasPty(): boolean {
  const found = spawnSync('script', ['--version'], { encoding: 'utf8' })
  if (found.stdout?.includes('util-linux') === true) return true
  if (process.env['SLUICE_REQUIRE'] === 'all') throw new Error('script is missing: apt install util-linux')
  console.warn('skipped: script is missing: apt install util-linux')
  return false
}

/** Runs `sluice` with arguments that need no quoting. */
export function openPty(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd: string = process.cwd(),
): Pty {
  const line = [process.execPath, launcher, ...args].join(' ')
  const child = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
    env: { PATH: process.env['PATH'], ...env },
    cwd,
  })
  const bell = createBell()
  let screen = ''
  let seen = 0
  const exited = once(child, 'close')
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text
    bell.ring()
  })
  child.on('close', () => bell.ring())
  return {
    press: (keys) => void child.stdin.write(keys),
    async until(text) {
      for (;;) {
        const at = screen.indexOf(text, seen)
        if (at >= 0) {
          seen = at + text.length
          return
        }
        if (child.exitCode !== null) throw new Error(`${text} never came: ${screen}`)
        await bell.wait()
      }
    },
    screen: () => screen,
    async exited() {
      const [code] = (await exited) as [number | null]
      return code
    },
    close: () => void child.kill('SIGTERM'),
  }
}
