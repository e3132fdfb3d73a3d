import { answer, jsonBody } from './answers.ts'
import type { Parameter, Paths } from './model.ts'
import { refer } from './parameters.ts'
import { anyBody, anyRequest, anyWrite, toProblems } from './problems.ts'

const tags = ['agents']
const name: Parameter = {
  name: 'agent',
  in: 'path',
  required: true,
  description: 'The name of an agent.',
  schema: { type: 'string' },
}

/** docs/http-api.md, Agents. */
export const agentsPaths: Paths = {
  '/v1/agents': {
    get: {
      operationId: 'listAgents',
      tags,
      summary: 'The agents that the gateway runs',
      responses: {
        200: answer('Those that the credential reaches.', 'AgentList'),
        ...toProblems(...anyRequest),
      },
    },
  },
  '/v1/agents/{agent}': {
    get: {
      operationId: 'getAgent',
      tags,
      summary: 'One agent',
      parameters: [name],
      responses: { 200: answer('The agent.', 'Agent'), ...toProblems(...anyRequest, 'unknown_agent') },
    },
  },
  '/v1/agents/{agent}/runs': {
    post: {
      operationId: 'startRun',
      tags,
      summary: 'Has an agent run',
      parameters: [name, ...refer('idempotencyKey')],
      requestBody: jsonBody('RunRequest'),
      responses: {
        200: answer('The session that a request with the same key has made.', 'Session', 'Location'),
        201: answer('The session of the run.', 'Session', 'Location'),
        ...toProblems(
          ...anyRequest,
          ...anyBody,
          ...anyWrite,
          'event_too_large',
          'unknown_agent',
          'unsupported_capability',
          'invalid_run',
          'run_not_permitted',
          'run_failed',
          'agent_busy',
          'session_exists',
          'session_deleted',
        ),
      },
    },
  },
}
