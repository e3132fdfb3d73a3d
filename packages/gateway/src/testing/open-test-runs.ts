import { createMemoryLog, type Log } from '@sluice/log'
import type { Entry, SluiceEvent } from '@sluice/protocol'
import type { Caller } from '../access/caller.ts'
import type { HostedAgent } from '../features/runs/hosted-agent.ts'
import type { AskedRun } from '../features/runs/run-request.ts'
import type { Session } from '../kernel/sessions/session.ts'
import { callerWith, openTestKernel, type TestKernel } from './open-test-kernel.ts'
import { createScriptedAgent, hosted, type Script } from './scripted-agent.ts'
import { until } from './until.ts'

/** A caller that may run agents and send them inputs. */
export const ada = callerWith('ada', 'run', 'subscribe', 'answer')

/** Kernels with agents, all of which are closed at the end of a test. */
export interface TestRuns {
  open(agents: Readonly<Record<string, HostedAgent>>, log?: Log): Promise<TestKernel>
  /** One agent, `one`, that plays a script. */
  openScript(script: Script, more?: Partial<HostedAgent>): Promise<TestKernel>
  close(): Promise<void>
}

export function createTestRuns(): TestRuns {
  const opened: TestKernel[] = []
  const open: TestRuns['open'] = async (agents, log = createMemoryLog()) => {
    const gate = await openTestKernel({ log, agents })
    opened.push(gate)
    return gate
  }
  return {
    open,
    openScript: (script, more = {}) => open({ one: hosted(createScriptedAgent(script), more) }),
    async close() {
      for (const { kernel, runs, clock, close } of opened.splice(0)) {
        let isStopped = false
        const stopped = runs.stop().then(() => {
          isStopped = true
        })
        await until(() => {
          if (!isStopped) clock.advance(kernel.config.drainMs)
          return isStopped
        })
        await stopped
        await close()
      }
    },
  }
}

export async function begin(
  { runs }: TestKernel,
  asked: AskedRun,
  {
    agent = 'one',
    caller = ada,
  }: { readonly agent?: string | undefined; readonly caller?: Caller | undefined } = {},
): Promise<Session> {
  return (await runs.begin(caller, { name: agent }, asked)).session
}

export async function entriesToEnd(opened: TestKernel, session: string): Promise<readonly Entry[]> {
  await until(async () => (await opened.kernel.directory.find(session))?.isEnded === true)
  return opened.entries(session)
}

export async function eventsToEnd(opened: TestKernel, session: string): Promise<readonly SluiceEvent[]> {
  return (await entriesToEnd(opened, session)).flatMap(({ events }) => events)
}

export const kindsOf = (events: readonly SluiceEvent[]): readonly string[] => events.map(({ kind }) => kind)

/** The text of all deltas. */
export const textIn = (events: readonly SluiceEvent[]): string =>
  events.map((event) => (event.kind === 'text-delta' ? event.text : '')).join('')
