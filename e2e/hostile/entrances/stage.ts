import { createMemoryLog, decodeRecord, type Log } from '@sluice/log'
import type { Entry } from '@sluice/protocol'
import { createScriptedAgent, hosted } from '../../../packages/gateway/src/testing/scripted-agent.ts'
import { type Answered, type Asked, send } from '../http-request.ts'
import { type GatewayOverrides, localKey, type StartedGateway, startGateway } from '../start-gateway.ts'

/** The agent that the gateway runs; the victim's sessions name it too. */
export const agentName = 'victim-agent'
export const label = { team: 'blue' }

/** What an attempt can do to a victim. */
export type Effect = 'read' | 'publish' | 'answer' | 'run' | 'delete' | 'unsubscribe' | 'metrics'

/** A session of somebody else, with everything that an attacker could want from it. */
export interface Victim {
  readonly id: string
  /** The token of its open question, which is rejected by default. */
  readonly token: string
  /** Contained in its request, its question, its inputs and the name of its producer. */
  readonly secret: string
  /** An AAEP subscription of its owner. */
  readonly subscription: string
}

export interface Stage {
  readonly gateway: StartedGateway
  /** Adds a session that its owner publishes, or one in which the agent runs. */
  addVictim(kind: 'published' | 'run'): Promise<Victim>
  /** What happened to a victim since it was added or last checked, and what `text` reveals of it. */
  effectsOn(victim: Victim, text: string): Promise<readonly Effect[]>
  /** The entries of a session, as the log has them. */
  entriesOf(session: string): Promise<readonly Entry[]>
  /** What people sent to the agent in its runs. */
  readonly heard: readonly unknown[]
  readonly runCount: number
  close(): Promise<void>
}

/** A gateway with an agent, and a log that a test can inspect. */
export async function openStage(overrides: GatewayOverrides = {}): Promise<Stage> {
  const log = createMemoryLog()
  const heard: unknown[] = []
  let runCount = 0
  let count = 0
  const agent = createScriptedAgent(async ({ say, request, answer, hear, untilCancelled }) => {
    runCount += 1
    hear((text) => heard.push(text))
    const token = /token (\w+)/.exec(request.prompt)?.[1]
    if (token !== undefined) {
      say({ kind: 'question-open', question: 'confirmation', token, text: request.prompt, default: 'reject' })
      heard.push(await answer())
    }
    await untilCancelled()
    return undefined
  })
  const gateway = await startGateway({
    heartbeatMs: 250,
    log,
    agents: new Map([[agentName, hosted(agent, { concurrency: 10_000 })]]),
    ...overrides,
  })
  const owner = gateway.addKey('victim', ['*:own'], { agent: agentName })
  const before = new Map<string, Counts>()

  const ask = async (asked: Asked, status: number): Promise<Answered> => {
    const answer = await send(gateway.port, { method: 'POST', key: owner, ...asked })
    if (answer.status !== status) throw new Error(`${asked.path}: ${answer.status} ${answer.text}`)
    return answer
  }
  const entriesOf = async (session: string): Promise<readonly Entry[]> =>
    (await log.read(session, 0, { maxBytes: 2 ** 26 })).map(({ bytes }) => decodeRecord(bytes))

  const openQuestion = async (kind: 'published' | 'run', victim: Omit<Victim, 'subscription'>) => {
    const { id, secret, token } = victim
    const text = `Delete ${secret} of token ${token}?`
    if (kind === 'run') {
      const body = { prompt: text, session: id, labels: label, context: `ctx-${id}` }
      await ask({ path: `/v1/agents/${agentName}/runs`, body }, 201)
      while (!(await entriesOf(id)).some(hasQuestion)) await new Promise(setImmediate)
      return
    }
    await ask({ path: '/v1/sessions', body: { id, labels: label, context: `ctx-${id}` } }, 201)
    const start = { kind: 'session-start', request: text, meta: { agent: { id: agentName } } }
    const opened = { kind: 'question-open', question: 'confirmation', token, text, default: 'reject' }
    const headers = { 'sluice-producer': `p-${secret}; epoch=0; seq=0` }
    const body = [{ events: [start] }, { events: [opened] }]
    await ask({ path: `/v1/sessions/${id}/events?dialect=sluice`, headers, body }, 200)
  }

  return {
    gateway,
    heard,
    get runCount() {
      return runCount
    },
    entriesOf,
    async addVictim(kind) {
      count += 1
      const number = String(count).padStart(5, '0')
      const named = { id: `sess_victim${number}`, token: `rpl_${number}x`, secret: `secret${number}x` }
      await openQuestion(kind, named)
      const message = { path: `/v1/sessions/${named.id}/messages`, body: { text: named.secret } }
      await ask({ ...message, key: localKey }, 202)
      const path = `/aaep/v1/subscriptions?session=${named.id}`
      const { json } = await ask({ path, body: subscriptionRequest(false) }, 201)
      const { subscription_id: subscription } = json as { subscription_id: string } // 201, as just checked
      const victim = { ...named, subscription }
      before.set(named.id, await countAll(log, victim, { entriesOf, runs: runCount }))
      return victim
    },
    async effectsOn(victim, text) {
      const then = before.get(victim.id) ?? nothing
      const now = await countAll(log, victim, { entriesOf, runs: runCount })
      before.set(victim.id, now)
      const { status } = await send(gateway.port, {
        path: `/aaep/v1/subscriptions/${victim.subscription}`,
        key: owner,
      })
      return [
        ...(text.includes(victim.secret) || text.includes(victim.subscription) ? ['read' as const] : []),
        ...(now.published > then.published ? ['publish' as const] : []),
        ...(now.answered > then.answered ? ['answer' as const] : []),
        ...(now.runs > then.runs ? ['run' as const] : []),
        ...(now.isThere ? [] : ['delete' as const]),
        ...(status === 200 ? [] : ['unsubscribe' as const]),
        ...(/^sluice_\w+/m.test(text) ? ['metrics' as const] : []),
      ]
    },
    close: gateway.close,
  }
}

/** What happened so far to a session and in the gateway. */
interface Counts {
  readonly published: number
  readonly answered: number
  readonly runs: number
  readonly isThere: boolean
}

const nothing: Counts = { published: 0, answered: 0, runs: 0, isThere: true }

async function countAll(
  log: Log,
  victim: Victim,
  { entriesOf, runs }: { readonly entriesOf: Stage['entriesOf']; readonly runs: number },
): Promise<Counts> {
  const { id } = victim
  const head = await log.head(id).catch(() => undefined)
  if (head === undefined) return { ...nothing, runs, isThere: false }
  const entries = await entriesOf(id)
  const answered = entries.filter(isAnswer).length
  const begun = (await log.head(newSessionOf(victim))) === undefined ? 0 : 1
  const claimed = Object.values(head.producers).reduce((sum, { epoch }) => sum + epoch + 1, 0)
  const published = entries.length - answered + claimed + begun
  return { published, answered, runs, isThere: true }
}

/** The id of a session that does not exist, for attempts to create one. */
export function newSessionOf({ id }: Victim): string {
  return `${id}new`
}

/** A request for a subscription, which says whether the subscriber can answer. */
export function subscriptionRequest(canAnswer: boolean): object {
  return {
    type: 'subscription.request',
    aaep_version: '1.0.0',
    subscriber_id: 'tester',
    capabilities: { supports_confirmation_reply: canAnswer, supports_clarification_reply: canAnswer },
  }
}

/** The end of a session also closes its questions, which does not count as an answer. */
function isAnswer({ direction, events }: Entry): boolean {
  const kinds = events.map(({ kind }) => kind)
  return direction === 'input' || (kinds.includes('question-close') && !kinds.includes('session-end'))
}

function hasQuestion({ events }: Entry): boolean {
  return events.some(({ kind }) => kind === 'question-open')
}
