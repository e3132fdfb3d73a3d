import {
  omitUndefined,
  type SessionState,
  type SluiceEvent,
  type TextDelta,
  tableGet,
} from '@sluice/protocol'
import type { TextOptions } from './session-options.ts'

/** The output of a session that has only one. */
export const mainOutput = 'main'

/** As much as fits a gateway's default limit on one event, however JSON escapes it. */
const pieceLength = 64 * 1024

/** A text as deltas that are small enough to be stored; an empty text as one empty delta. */
export function textDeltas(
  state: SessionState,
  chunk: string,
  options: TextOptions & { readonly sessionLanguage: string | undefined },
): readonly TextDelta[] {
  const { output = mainOutput, channel = 'answer' } = options
  const known = tableGet(state.outputs, output)
  const contentType = options.contentType ?? known?.contentType
  const language = options.language ?? known?.language ?? options.sessionLanguage
  const deltas: TextDelta[] = []
  for (let start = 0; start === 0 || start < chunk.length; start += pieceLength)
    deltas.push({
      kind: 'text-delta',
      output,
      take: 0,
      text: chunk.slice(start, start + pieceLength),
      position: 0,
      channel,
      ...omitUndefined({ contentType, language }),
    })
  return deltas
}

/** Ends an output. An output without text starts and ends here. */
export function textEnd(
  state: SessionState,
  output: string,
  language: string | undefined,
): readonly SluiceEvent[] {
  const end = { kind: 'text-end', output, take: 0 } as const
  return tableGet(state.outputs, output) === undefined
    ? [...textDeltas(state, '', { output, sessionLanguage: language }), end]
    : [end]
}
