import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '@sluice/client'
import type { JsonObject } from '@sluice/protocol'
import { isGroupAlive, signalGroup } from '../../packages/agents/src/process/end-group.ts'
import {
  createFakeProgram,
  type FakeProgram,
  type FakeStep,
} from '../../packages/agents/src/testing/fake-program.ts'
import { type GatewayProcess, startGateway } from '../../packages/cli/src/testing/start-gateway.ts'
import { until } from '../testing/until.ts'

/** A fake program in place of an agent's own, and the rest of the agent's configuration. */
export interface StagedAgent {
  readonly type: string
  readonly steps: readonly FakeStep[]
  readonly config?: JsonObject
}

/** `sluice serve` in a separate process, with agents whose programs are fake. */
export interface AgentGateway {
  /** Changes with every restart. */
  readonly url: string
  readonly localKey: string
  readonly client: Client
  /** The program of an agent. */
  program(agent: string): FakeProgram
  /** The log since the first start, down to `debug`. */
  errors(): string
  /** Sends a signal and returns the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>
  /** Starts it again on the same data. */
  restart(): Promise<void>
  /** Kills the gateway and all processes that its programs left, and removes its files. */
  remove(): Promise<void>
}

/** Starts a gateway with these agents and settings, and waits until it is ready. */
export async function startAgentGateway(
  agents: Readonly<Record<string, StagedAgent>>,
  settings: JsonObject = {},
): Promise<AgentGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-agents-'))
  const data = join(folder, 'data')
  const file = join(folder, 'sluice.config.json')
  const programs = new Map(
    Object.entries(agents).map(([name, { steps }]) => [name, createFakeProgram(name, steps)]),
  )
  const programOf = (name: string): FakeProgram => {
    const program = programs.get(name)
    if (program === undefined) throw new Error(`no such agent: ${name}`)
    return program
  }
  const configured = Object.entries(agents).map(([name, { type, config = {} }]) => {
    const { path, folder: own } = programOf(name)
    const start = type === 'command' || type === 'acp' ? { command: [path] } : { program: path }
    return [name, { type, workingDirs: [own], ...start, ...config }] as const
  })
  await writeFile(file, JSON.stringify({ ...settings, agents: Object.fromEntries(configured) }))

  const start = (): Promise<GatewayProcess> => startGateway(data, ['--config', file, '--log-level', 'debug'])
  const earlier: string[] = []
  let gateway = await start()
  const localKey = (await readFile(join(data, 'local.key'), 'utf8')).trim()
  return {
    localKey,
    get url() {
      return gateway.url
    },
    get client() {
      return createClient({ url: gateway.url, token: localKey })
    },
    program: programOf,
    errors: () => [...earlier, gateway.errors()].join(''),
    end: (signal) => gateway.end(signal),
    async restart() {
      earlier.push(gateway.errors())
      gateway = await start()
    },
    async remove() {
      await gateway.end('SIGKILL')
      for (const program of programs.values()) {
        const pid = program.call()?.pid
        if (pid !== undefined) {
          signalGroup(pid, 'SIGKILL')
          await until(async () => !(await isGroupAlive(pid)))
        }
        program.remove()
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
}
