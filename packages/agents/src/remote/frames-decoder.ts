import {
  createNdjsonDecoder,
  createSseDecoder,
  type FramedText,
  type FramingFault,
  type SseMessage,
} from '@sluice/protocol'
import { maxLineBytes } from '../cli/read-lines.ts'

/** Cuts a response body into frames, whatever its chunks are. */
export interface FramesDecoder {
  push(chunk: Uint8Array): readonly (FramedText | FramingFault)[]
  end(): readonly (FramedText | FramingFault)[]
}

/** The decoder for this content type; undefined if it is not a stream of frames. */
export function framesDecoderFor(contentType: string | undefined): FramesDecoder | undefined {
  switch (contentType?.split(';', 1)[0]?.trim().toLowerCase()) {
    case 'text/event-stream':
      return createSseFrames()
    case 'application/x-ndjson':
    case 'application/ndjson':
    case 'application/jsonl':
      return createNdjsonDecoder({ maxLineBytes })
    default:
      return undefined
  }
}

/** Some servers end an event stream with this, in addition to the dialect's own end. */
const doneMark = '[DONE]'

function createSseFrames(): FramesDecoder {
  const decoder = createSseDecoder({ maxEventBytes: maxLineBytes })
  const toFrames = (results: readonly (SseMessage | FramingFault)[]): (FramedText | FramingFault)[] =>
    results.flatMap((result): readonly (FramedText | FramingFault)[] => {
      if (!result.ok) return [result]
      const text = result.data.trim()
      return text === '' || text === doneMark ? [] : [{ ok: true, text, line: result.line }]
    })
  return {
    push: (chunk) => toFrames(decoder.push(chunk)),
    end: () => toFrames(decoder.end()),
  }
}
