import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readGatewayFile } from '../../packages/cli/src/gateway-file.ts'
import { until } from './until.ts'

const launcher = fileURLToPath(new URL('../../packages/cli/bin/sluice.js', import.meta.url))

export interface GatewayProcessOptions {
  /** The data directory; by default the gateway gets its own, which `remove` deletes. */
  readonly data?: string
  /** More settings as variables, such as SLUICE_LIMITS_RING_BYTES (docs/guides/configuration.md). */
  readonly settings?: Readonly<Record<string, string>>
  /** Options for Node itself. */
  readonly nodeOptions?: readonly string[]
}

/** `sluice serve` in a separate process, which can die and restart on the same port with the same data. */
export interface GatewayProcess {
  readonly url: string
  readonly data: string
  readonly pid: number
  /** The key with all grants. */
  readonly localKey: string
  /** kill -9; resolves when the process is gone. */
  kill(): Promise<void>
  /** SIGTERM; resolves with the exit code. */
  terminate(): Promise<number | null>
  /** Starts it again after it ended; resolves when it is ready. */
  restart(): Promise<void>
  /** Everything that it wrote to standard error since its first start. */
  errors(): string
  /** Samples its memory and keeps the peak. */
  watchMemory(): MemoryWatch
  /** Kills it if it runs, and deletes its data unless the caller chose the directory. */
  remove(): Promise<void>
}

export interface MemoryWatch {
  /** The most so far. The watch goes on until it is stopped or the process is gone. */
  readonly peakBytes: number
  stop(): void
}

/** Starts a gateway and waits until it is ready. */
export async function startGatewayProcess(options: GatewayProcessOptions = {}): Promise<GatewayProcess> {
  const data = options.data ?? (await mkdtemp(join(tmpdir(), 'sluice-e2e-')))
  let url = ''
  let errors = ''
  let child: ChildProcess
  let exited: Promise<unknown[]>

  const start = async (): Promise<void> => {
    // Any free port at first, and the same one from then on.
    const port = url === '' ? '0' : new URL(url).port
    const args = ['serve', '--data', data, '--port', port, '--log-level', 'warn']
    child = spawn(process.execPath, [...(options.nodeOptions ?? []), launcher, ...args], {
      env: { PATH: process.env['PATH'], ...options.settings },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    exited = once(child, 'exit')
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    await until(async () => {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`the gateway ended at start: ${errors}`)
      // Another process may answer on the port, so the gateway is identified by its data directory.
      const found = await readGatewayFile(data)
      if (found?.pid !== child.pid) return false
      url = found?.url ?? ''
      return isReady(url)
    })
  }

  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal)
    await exited
    return child.exitCode
  }

  await start()
  const localKey = (await readFile(join(data, 'local.key'), 'utf8')).trim()
  return {
    url,
    data,
    localKey,
    get pid() {
      return child.pid ?? 0
    },
    kill: async () => {
      await end('SIGKILL')
    },
    terminate: () => end('SIGTERM'),
    restart: start,
    errors: () => errors,
    watchMemory: () => watchMemory(child.pid ?? 0),
    async remove() {
      await end('SIGKILL')
      if (options.data === undefined) await rm(data, { recursive: true, force: true })
    },
  }
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/readyz`).catch(() => undefined)
  await response?.arrayBuffer()
  return response?.ok === true
}

const watchEveryMs = 10

function watchMemory(pid: number): MemoryWatch {
  let peakBytes = 0
  const look = async (): Promise<void> => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    // Pages of the data file that the kernel has mapped are its cache, not memory held by the process.
    const [, kibibytes = '0'] = /^RssAnon:\s+(\d+) kB$/m.exec(status) ?? []
    peakBytes = Math.max(peakBytes, Number(kibibytes) * 1024)
  }
  const timer = setInterval(() => void look(), watchEveryMs)
  timer.unref()
  return {
    get peakBytes() {
      return peakBytes
    },
    stop: () => clearInterval(timer),
  }
}
