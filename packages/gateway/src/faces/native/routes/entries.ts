import { type Entry, SluiceError, startCursor } from '@sluice/protocol'
import { dialectById, tellEntry } from '@sluice/protocol/dialects'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { toCursorFrame } from '../../../kernel/fan-out/wire-format.ts'
import type { Session } from '../../../kernel/sessions/session.ts'
import type { Backend } from '../../backend.ts'
import { queryValue, sessionParam } from '../../http/parameters.ts'
import { fullCallerOf } from '../../http/request-caller.ts'

export function addEntryRoute(app: FastifyInstance, backend: Backend): void {
  app.get('/v1/sessions/:id/entries/:seq', async (request, reply) => {
    const caller = fullCallerOf(request)
    const seq = seqParam(request)
    const named = queryValue(request, 'dialect')
    const dialect = named === undefined ? undefined : backend.kernel.dialect(named)
    const session = await backend.kernel.reach(caller, sessionParam(request).id, 'subscribe')
    const entry = await session.entryAt(seq)
    if (entry === undefined) throw new SluiceError('unknown_entry')
    if (dialect === undefined) return reply.type('application/json').send(await toWhole(session, entry))
    const { frames, lost } = tellEntry(dialect, await session.stateAt(seq - 1), entry)
    const told = `[${frames.map(toCursorFrame).join(',')}]`
    return reply
      .type('application/json')
      .send(`{"dialect":"${dialect.id}","frames":${told},"lost":${JSON.stringify(lost)}}`)
  })
}

function seqParam(request: FastifyRequest): number {
  const { seq = '' } = request.params as { readonly seq?: string } // the route has this parameter
  if (!/^\d{1,15}$/.test(seq)) throw new SluiceError('unknown_entry')
  return Number(seq)
}

/** The entry as the log has it: what was received, what it means, and every finding. */
async function toWhole(session: Session, entry: Entry): Promise<string | undefined> {
  const { encode } = dialectById('sluice')
  const { state } = encode.enter(await session.stateAt(-1), startCursor)
  const [frame] = encode.step(state, entry).frames
  return frame?.data
}
