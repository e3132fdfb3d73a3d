import type { FastifyInstance } from 'fastify'
import { listQuestions } from '../../../kernel/questions/list-questions.ts'
import type { Backend } from '../../backend.ts'
import { sessionParam } from '../../http/parameters.ts'
import { fullCallerOf } from '../../http/request-caller.ts'

export function addQuestionRoutes(app: FastifyInstance, backend: Backend): void {
  app.get('/v1/sessions/:id/questions', async (request) => {
    const session = await backend.kernel.reach(fullCallerOf(request), sessionParam(request).id, 'subscribe')
    return { questions: await listQuestions(backend.kernel.log, session.id, session.lastSeq) }
  })
}
