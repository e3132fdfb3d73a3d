import { Readable, Writable } from 'node:stream'
import { main } from '../main.ts'
import type { Run, RunPlace } from './run-sluice.ts'

/**
 * Runs the command in this process; runSluice() runs it in a separate one. A `cwd` changes the directory of
 * the whole process meanwhile.
 */
export async function callSluice(
  args: readonly string[],
  input: string | Uint8Array = '',
  { cwd, env = {} }: RunPlace = {},
): Promise<Run> {
  const before = process.cwd()
  if (cwd !== undefined) process.chdir(cwd)
  const stdout = createCollector()
  const stderr = createCollector()
  const code = await main(args, {
    stdin: Readable.from(input.length === 0 ? [] : [Buffer.from(input)], { objectMode: false }),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: { PATH: process.env['PATH'], ...env },
  }).finally(() => process.chdir(before))
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

/** A stream that keeps what is written to it. */
export function createCollector(): { readonly stream: Writable; text(): string } {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') }
}
