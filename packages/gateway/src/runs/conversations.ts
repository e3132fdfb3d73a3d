import { createHash } from 'node:crypto'
import type { Log } from '@sluice/log'
import type { Clock } from '@sluice/protocol'
import { createKeptStream } from '../aaep/registry-stream.ts'

/** The sessions that an agent has run in each context, without a look at any other. */
export interface Conversations {
  /** The last ones, the newest first. */
  sessionsOf(agent: string, context: string): Promise<readonly string[]>
  /** Durable when it resolves. To be called once at a time for a context of an agent. */
  add(agent: string, context: string, session: string): Promise<void>
}

const maxKept = 8

/** Each conversation is a stream of the log that is no session, and whose head says it all. */
export function createConversations(log: Log, clock: Clock): Conversations {
  const sessionsOf = async (agent: string, context: string): Promise<readonly string[]> => {
    const sessions = (await log.head(streamOf(agent, context)))?.info['sessions']
    return Array.isArray(sessions) ? sessions.filter((session) => typeof session === 'string') : []
  }
  return {
    sessionsOf,
    async add(agent, context, session) {
      const sessions = [session, ...(await sessionsOf(agent, context))].slice(0, maxKept)
      const stream = createKeptStream(log, clock, streamOf(agent, context))
      await stream.append([], { info: { kind: 'conversation', sessions } })
    },
  }
}

function streamOf(agent: string, context: string): string {
  return `ctx_${createHash('sha256').update(`${agent}\0${context}`).digest('hex')}`
}
