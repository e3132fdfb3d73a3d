import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface GatewayProcess {
  readonly url: string
  /** The credential that may do everything. */
  readonly token: string
  /** Ends the process without a word, as a crash does. */
  kill(): Promise<void>
}

/** Runs `sluice serve` and resolves when it listens. */
export async function startGatewayProcess(directory: string, port: number): Promise<GatewayProcess> {
  const args = ['packages/cli/bin/sluice.js', 'serve', '--port', String(port), '--data', directory]
  const child = spawn(process.execPath, [...args, '--log-level', 'fatal'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url, token] = /^Console: (\S+)\/#token=(\S+)$/.exec(line) ?? []
    if (url !== undefined && token !== undefined) return { url, token, kill: () => kill(child) }
  }
  throw new Error('The gateway did not start.')
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
