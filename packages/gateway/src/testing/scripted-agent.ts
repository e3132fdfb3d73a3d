import {
  type Agent,
  type Run,
  type RunAnswer,
  type RunCompletion,
  type RunHost,
  type RunOutput,
  type RunRequest,
  SluiceError,
  type SluiceEvent,
} from '@sluice/protocol'
import type { HostedAgent } from '../features/runs/hosted-agent.ts'

/** What a script can use. */
export interface Stage {
  readonly request: RunRequest
  readonly host: RunHost
  /** Aborts when the run is cancelled. */
  readonly cancelled: AbortSignal
  say(...events: readonly SluiceEvent[]): void
  frame(dialect: string, text: string): void
  /** The next answer. */
  answer(): Promise<RunAnswer>
  /** Resolves when the run is cancelled. */
  untilCancelled(): Promise<void>
  /** From here on, the run accepts messages and passes them to `take`. */
  hear(take: (text: string) => void): void
}

/** Plays one run; its result is the completion, an exception the failure. */
export type Script = (stage: Stage) => Promise<Partial<RunCompletion> | undefined>

/** An agent that follows a script: the port without a program. */
export function createScriptedAgent(script: Script, more: Partial<Agent> = {}): Agent {
  return {
    kind: 'scripted',
    capabilities: ['agent_api.events', 'agent_api.run'],
    look: async () => ({ isInstalled: true, version: '1.0' }),
    check(request) {
      if (request.prompt.trim() === '') throw new SluiceError('invalid_run', { message: 'no prompt' })
    },
    run: (request, host) => play(script, request, host),
    ...more,
  }
}

/** The same as a gateway offers it: one run at a time, and 64 that may wait. */
export function hosted(agent: Agent, more: Partial<Omit<HostedAgent, 'agent'>> = {}): HostedAgent {
  return {
    agent,
    title: 'Scripted',
    concurrency: 1,
    queue: 64,
    workingDirs: [],
    allowEnv: [],
    requestsMayRaisePermissions: false,
    isOpen: false,
    ...more,
  }
}

function play(script: Script, request: RunRequest, host: RunHost): Run {
  const waiting: RunOutput[] = []
  const answers: RunAnswer[] = []
  const cancel = new AbortController()
  const wakers = new Set<() => void>()
  let isOver = false
  let take: ((text: string) => void) | undefined

  const wake = (): void => {
    for (const each of wakers) each()
    wakers.clear()
  }
  const changed = (): Promise<void> =>
    new Promise((resolve) => {
      wakers.add(resolve)
    })
  const put = (output: RunOutput): void => {
    if (cancel.signal.aborted) return
    waiting.push(output)
    wake()
  }

  const stage: Stage = {
    request,
    host,
    cancelled: cancel.signal,
    say: (...events) => put({ type: 'events', events }),
    frame: (dialect, text) => put({ type: 'frame', dialect, text }),
    async answer() {
      while (answers.length === 0) await changed()
      return answers.shift() ?? { token: '', how: 'timeout' }
    },
    async untilCancelled() {
      while (!cancel.signal.aborted) await changed()
    },
    hear(taking) {
      take = taking
    },
  }

  const perform = async (): Promise<RunCompletion> => {
    try {
      const completion = await script(stage)
      if (cancel.signal.aborted) throw new SluiceError('run_cancelled')
      return { status: { code: 0, signal: null }, ...completion }
    } finally {
      isOver = true
      wake()
    }
  }
  const completion = perform()
  completion.catch(() => {})

  async function* outputs(): AsyncGenerator<RunOutput> {
    for (;;) {
      const next = waiting.shift()
      if (next !== undefined) yield next
      else if (isOver || cancel.signal.aborted) return
      else await changed()
    }
  }

  return {
    outputs: outputs(),
    completion,
    cancel() {
      if (isOver || cancel.signal.aborted) return
      cancel.abort()
      waiting.length = 0
      wake()
    },
    answer(answer) {
      answers.push(answer)
      wake()
    },
    message(text) {
      take?.(text)
      return take !== undefined
    },
  }
}

/** A piece of an answer. */
export function piece(text: string, output = 'out'): SluiceEvent {
  return { kind: 'text-delta', output, take: 0, position: 0, channel: 'answer', text }
}
