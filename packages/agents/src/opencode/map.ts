import { omitUndefined } from '@sluice/protocol'
import type { CliMapper, Mapped } from '../cli/cli-agent.ts'
import { unknownLine } from '../cli/unknown-line.ts'
import { toFailure } from './failure.ts'
import { mapText, mapTool } from './map-part.ts'
import { mapDone, mapError, mapFinish, toUsage, toVerdict } from './map-turn.ts'
import { type NativeBody, readLine } from './native.ts'
import { mapSession } from './session.ts'
import { endText, initialState, type OpencodeState } from './state.ts'

/**
 * Maps what OpenCode prints to events: whole parts, of the session itself and not of those that it starts.
 * Emits usage at the end of the run.
 */
export const mapper: CliMapper<OpencodeState> = {
  format: 'json',
  initial: (request, _options, startedAt) => initialState(request, startedAt),
  step(state, line) {
    if (state.isElsewhere) return { state, events: [] }
    const { session, body } = readLine(line)
    if (session === undefined || state.session !== undefined) return withOutlook(mapBody(state, body))
    const named = mapSession(state, session)
    if (named.verdict !== undefined) return named
    const mapped = withOutlook(mapBody(named.state, body))
    return { ...mapped, events: [...named.events, ...mapped.events] }
  },
  end(state) {
    const { usage } = state
    const verdict = toVerdict(state)
    return omitUndefined({
      state: { ...state, open: undefined },
      events: [...endText(state), ...(usage === undefined ? [] : [toUsage(usage)])],
      verdict,
    })
  },
}

function mapBody(state: OpencodeState, body: NativeBody): Mapped<OpencodeState> {
  switch (body.type) {
    case 'step_start':
      return { state: { ...state, hasRefused: false, outlook: undefined, isOverflowing: false }, events: [] }
    case 'step_finish':
      return mapFinish(state, body.reason, body.usage)
    case 'text':
    case 'reasoning':
      return mapText(state, body)
    case 'tool_use':
      return mapTool(state, body)
    case 'error':
      return mapError(state, toFailure(body.name, body.status))
    case 'done':
      return mapDone(state, body)
    case 'unknown':
      return { state, events: [unknownLine('opencode', body.name)] }
    case 'malformed':
      return { state, events: [], isMalformed: true }
  }
}

/**
 * Any line may be the last, because not every version marks the end. While OpenCode summarises a full
 * context, the usual wait would be too short.
 */
function withOutlook(mapped: Mapped<OpencodeState>): Mapped<OpencodeState> {
  const tentative = mapped.state.isOverflowing ? undefined : toVerdict(mapped.state)
  return tentative === undefined || mapped.verdict !== undefined ? mapped : { ...mapped, tentative }
}
