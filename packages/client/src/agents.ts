import type { JsonObject } from '@sluice/protocol'
import { createProducerName } from './producer.ts'
import { type Requester, readJson } from './requester.ts'
import type { AgentResource, SessionResource } from './resources.ts'
import type { Abortable } from './sessions.ts'

/** A request to an agent (docs/agents.md, "A run"). */
export interface StartRun extends Abortable {
  readonly prompt: string
  readonly workingDir?: string
  /** 0 asks for no limit. */
  readonly timeoutMs?: number
  readonly env?: Readonly<Record<string, string>>
  /** By capability id, such as `agent_api.config.model.v1`. */
  readonly extensions?: JsonObject
  /** The conversation that this run continues. */
  readonly context?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly attributes?: JsonObject
  /** Requests with the same key start one run. By default, every call has its own key. */
  readonly idempotencyKey?: string
}

/** The agents that a gateway runs. */
export interface Agents {
  list(options?: Abortable): Promise<readonly AgentResource[]>
  get(agent: string, options?: Abortable): Promise<AgentResource>
  /** Starts a run and resolves with its session, which can be followed immediately. */
  run(agent: string, request: StartRun): Promise<SessionResource>
}

export function createAgents(requester: Requester): Agents {
  return {
    async list({ signal } = {}) {
      const answer = await requester.repeat({ path: ['agents'], signal })
      const { agents } = await readJson<{ readonly agents: readonly AgentResource[] }>(answer, signal)
      return agents
    },
    async get(agent, { signal } = {}) {
      return readJson(await requester.repeat({ path: ['agents', agent], signal }), signal)
    },
    async run(agent, { signal, idempotencyKey = createProducerName(), ...request }) {
      const answer = await requester.repeat({
        method: 'POST',
        path: ['agents', agent, 'runs'],
        body: JSON.stringify(request),
        headers: { 'idempotency-key': idempotencyKey },
        signal,
      })
      return readJson(answer, signal)
    },
  }
}
