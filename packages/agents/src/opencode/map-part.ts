import { omitUndefined, type SluiceEvent, tableGet, tableSet } from '@sluice/protocol'
import type { Mapped } from '../cli/cli-agent.ts'
import { readPlan } from '../cli/read-plan.ts'
import type { NativeText, NativeTool } from './native.ts'
import { endText, type OpencodeState } from './state.ts'

/** Maps a text, which arrives whole and may arrive twice. It stays open until something else starts. */
export function mapText(state: OpencodeState, part: NativeText): Mapped<OpencodeState> {
  const { type, text, message } = part
  const unnamed = state.unnamed + (part.id === undefined ? 1 : 0)
  const output = part.id ?? `unnamed_${unnamed}`
  const key = `text:${output}`
  if (text === '' || tableGet(state.seen, key) === true) return { state, events: [] }
  const delta: SluiceEvent = {
    kind: 'text-delta',
    output,
    take: 0,
    position: 0,
    channel: type === 'text' ? 'answer' : 'reasoning',
    text,
  }
  const next = { ...state, seen: tableSet(state.seen, key, true), unnamed, open: output }
  return { state: withAnswer(next, part, message), events: [...endText(state), delta] }
}

function withAnswer(state: OpencodeState, { type, text }: NativeText, message: string): OpencodeState {
  if (type !== 'text') return state
  const isSame = message !== '' && message === state.message
  return { ...state, message, answer: isSame ? `${state.answer}\n${text}` : text }
}

/** Emits the call and the result of a tool together, when it has ended. */
export function mapTool(state: OpencodeState, part: NativeTool): Mapped<OpencodeState> {
  const { call, tool, args, result, exitCode, durationMs } = part
  const key = `call:${call}`
  if (tableGet(state.seen, key) === true) return { state, events: [] }
  const plan = tool === 'todowrite' && !part.isError ? readPlan(part.todos, 'content') : undefined
  const isError = part.isError || (exitCode !== undefined && exitCode !== 0)
  return {
    state: {
      ...state,
      seen: tableSet(state.seen, key, true),
      open: undefined,
      hasRefused: state.hasRefused || part.isRefused,
    },
    events: [
      ...endText(state),
      omitUndefined({ kind: 'tool-call', call, tool, args }),
      omitUndefined({
        kind: 'tool-result',
        call,
        tool,
        status: isError ? 'error' : 'success',
        result,
        exitCode,
        durationMs,
      }),
      ...(plan === undefined ? [] : [plan]),
    ],
  }
}
