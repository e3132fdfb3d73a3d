import { answer, emptyAnswer, jsonBody, streamedAnswer } from './answers.ts'
import type { Paths } from './model.ts'
import { refer } from './parameters.ts'
import { anyBody, anyRequest, anySession, anyWrite, toProblems } from './problems.ts'

const tags = ['inputs']
const problems = toProblems(...anyRequest, ...anySession, ...anyBody, ...anyWrite, 'session_ended')

/** docs/http-api.md, Back to the agent. */
export const inputPaths: Paths = {
  '/v1/sessions/{id}/answers': {
    post: {
      operationId: 'answerQuestion',
      tags,
      summary: 'Answers a question',
      description: 'The token is that of the question or the one by which its agent knows it.',
      parameters: refer('id', 'agent'),
      requestBody: jsonBody('AnswerRequest'),
      responses: {
        200: answer('The answer is well-formed; it counts if it is the first valid one.', 'AnswerReceipt'),
        ...toProblems(...anyRequest, ...anySession, ...anyBody, ...anyWrite),
      },
    },
  },
  '/v1/sessions/{id}/cancel': {
    post: {
      operationId: 'cancelSession',
      tags,
      summary: 'Asks the agent to stop',
      parameters: refer('id', 'agent'),
      requestBody: jsonBody('CancelRequest', { required: false }),
      responses: { 202: answer('The agent will be told.', 'Taken'), ...problems },
    },
  },
  '/v1/sessions/{id}/messages': {
    post: {
      operationId: 'sendMessage',
      tags,
      summary: 'Sends a message to the agent',
      parameters: refer('id', 'agent'),
      requestBody: jsonBody('MessageRequest'),
      responses: { 202: answer('The agent will be told.', 'TakenMessage'), ...problems },
    },
  },
  '/v1/sessions/{id}/inputs': {
    get: {
      operationId: 'readInputs',
      tags,
      summary: 'What was sent to the agent, for the agent',
      parameters: refer('id', 'agent', 'after', 'live', 'cursors', 'frames', 'lastEventId'),
      responses: {
        200: streamedAnswer('The inputs behind the cursor.', 'InputPage', 'Input'),
        204: emptyAnswer('The session has ended, and nothing follows the cursor.'),
        ...toProblems(
          ...anyRequest,
          ...anySession,
          'session_reserved',
          'bad_cursor',
          'not_acceptable',
          'gap',
        ),
      },
    },
  },
  '/v1/sessions/{id}/questions': {
    get: {
      operationId: 'listQuestions',
      tags,
      summary: 'Every question of a session, and what became of it',
      parameters: refer('id', 'agent'),
      responses: {
        200: answer('The questions in the order in which they were asked.', 'QuestionList'),
        ...toProblems(...anyRequest, ...anySession),
      },
    },
  },
}
