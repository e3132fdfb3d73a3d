import { eventSchemas } from '@sluice/protocol/schemas'
import type { FastifyInstance, FastifySchema } from 'fastify'
import Type from 'typebox'
import { listQuestions } from '../../../kernel/questions/list-questions.ts'
import type { Backend } from '../../backend.ts'
import { sessionParam } from '../../http/parameters.ts'
import { fullCallerOf } from '../../http/request-caller.ts'
import { jsonAnswer } from '../../openapi/answers.ts'
import { sessionParams, sessionQuery } from '../../openapi/parameters.ts'
import { anyRequest, anySession, toProblems } from '../../openapi/problems.ts'
import { countSchema, responseSchema, timeSchema } from '../schemas.ts'

const { question, risk, irreversible } = eventSchemas['question-open'].properties
const { how } = eventSchemas['question-close'].properties

const questionSchema = Type.Object(
  {
    token: Type.String(),
    agentToken: Type.Optional(Type.String()),
    question,
    text: Type.String(),
    risk,
    irreversible,
    openedAt: timeSchema,
    seq: countSchema,
    timeoutMs: Type.Optional(Type.Number({ minimum: 0 })),
    default: Type.Optional(Type.String()),
    closedAt: Type.Optional(timeSchema),
    closedSeq: Type.Optional(countSchema),
    how: Type.Optional(how),
    decision: Type.Optional(Type.String()),
    response: Type.Optional(responseSchema),
    by: Type.Optional(Type.String()),
    via: Type.Optional(Type.Enum(['http', 'ws', 'aaep'])),
    claimed: Type.Optional(Type.Literal(true)),
    claimedBy: Type.Optional(Type.String()),
  },
  { $id: 'Question' },
)

const questionListSchema = Type.Object({ questions: Type.Array(questionSchema) }, { $id: 'QuestionList' })

const listQuestionsOperation: FastifySchema = {
  operationId: 'listQuestions',
  tags: ['inputs'],
  summary: 'Every question of a session, and what became of it',
  params: sessionParams,
  querystring: sessionQuery,
  response: {
    200: jsonAnswer('The questions in the order in which they were asked.', questionListSchema),
    ...toProblems(...anyRequest, ...anySession),
  },
}

export function addQuestionRoutes(app: FastifyInstance, backend: Backend): void {
  app.get('/v1/sessions/:id/questions', { schema: listQuestionsOperation }, async (request) => {
    const session = await backend.kernel.reach(fullCallerOf(request), sessionParam(request).id, 'subscribe')
    return { questions: await listQuestions(backend.kernel.log, session.id, session.lastSeq) }
  })
}
