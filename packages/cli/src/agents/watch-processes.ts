import { signalGroup } from '@sluice/agents'
import type { HostedAgent } from '@sluice/gateway'
import type { RunHost } from '@sluice/protocol'

/** Agents whose processes are known. */
export interface WatchedAgents {
  readonly agents: ReadonlyMap<string, HostedAgent>
  /** Kills all processes of runs that have not ended. */
  kill(): void
}

export function watchProcesses(agents: ReadonlyMap<string, HostedAgent>): WatchedAgents {
  const groups = new Set<number>()
  const watch = (hosted: HostedAgent): HostedAgent => ({
    ...hosted,
    agent: {
      ...hosted.agent,
      run(request, host) {
        let group: number | undefined
        const watched: RunHost = {
          ...host,
          async onProcess(process) {
            group = process.pid
            groups.add(group)
            await host.onProcess?.(process)
          },
        }
        const run = hosted.agent.run(request, watched)
        const forget = (): void => {
          if (group !== undefined) groups.delete(group)
        }
        run.completion.then(forget, forget)
        return run
      },
    },
  })
  return {
    agents: new Map([...agents].map(([name, hosted]) => [name, watch(hosted)])),
    kill() {
      for (const group of groups) signalGroup(group, 'SIGKILL')
    },
  }
}
