import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSluice } from './run-sluice.ts'

/** A gateway in a separate process. */
export interface GatewayProcess {
  readonly url: string
  readonly data: string
  /** Its standard output up to the end of the welcome. */
  readonly welcome: string
  readonly pid: number
  /** Sends a signal and returns the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>
  /** Everything that it wrote to standard error. */
  errors(): string
}

/** Starts `sluice serve` on any free port and waits until it prints its address. */
export async function startGateway(data: string, args: readonly string[] = []): Promise<GatewayProcess> {
  const child = startSluice(['serve', '--data', data, '--log-level', 'warn', '--port', '0', ...args])
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const exited = once(child, 'exit')
  const welcome = await readUntil(child.stdout, /\n\n.*npx sluice sessions.*\n\n/s)
  const url = /listens on (\S+)/.exec(welcome)?.[1]
  if (url === undefined || child.pid === undefined) throw new Error(`no gateway: ${welcome}${errors}`)
  return {
    url,
    data,
    welcome,
    pid: child.pid,
    errors: () => errors,
    async end(signal) {
      child.kill(signal)
      const [code] = (await exited) as [number | null]
      return code
    },
  }
}

/** A temporary directory, and the function that removes it. */
export async function createDataDirectory(): Promise<readonly [string, () => Promise<void>]> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-cli-'))
  return [directory, () => rm(directory, { recursive: true, force: true })]
}

/** The text of the stream up to the first match, or to its end. */
export async function readUntil(stream: NodeJS.ReadableStream, pattern: RegExp): Promise<string> {
  let text = ''
  return new Promise((resolve) => {
    const onData = (chunk: Buffer | string): void => {
      text += String(chunk)
      if (pattern.test(text)) finish()
    }
    const finish = (): void => {
      stream.off('data', onData)
      stream.off('end', finish)
      resolve(text)
    }
    stream.on('data', onData)
    stream.on('end', finish)
  })
}
