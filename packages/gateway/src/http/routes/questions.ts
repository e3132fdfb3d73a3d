import type { FastifyInstance } from 'fastify'
import type { Gate } from '../../gate.ts'
import { listQuestions } from '../../questions/list-questions.ts'
import { sessionParam } from '../parameters.ts'
import { fullCallerOf } from '../request-caller.ts'

export function addQuestionRoutes(app: FastifyInstance, gate: Gate): void {
  app.get('/v1/sessions/:id/questions', async (request) => {
    const session = await gate.reach(fullCallerOf(request), sessionParam(request).id, 'subscribe')
    return { questions: await listQuestions(gate.log, session.id, session.lastSeq) }
  })
}
