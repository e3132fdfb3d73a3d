export type FramingFaultCode =
  | 'line_too_long'
  | 'event_too_long'
  | 'element_too_long'
  | 'element_not_closed'
  | 'array_not_closed'
  | 'missing_comma'
  | 'trailing_comma'
  | 'text_after_array'
  | 'unexpected_text'
  | 'invalid_utf8'

/**
 * A piece of input that could not be framed; the stream continues after it. Never contains input text, only
 * the line where the piece began (from 1) and its length in bytes.
 */
export type FramingFault<Code extends FramingFaultCode = FramingFaultCode> = {
  readonly ok: false
  readonly code: Code
  readonly line: number
  readonly bytes: number
}

/** One framed text, not yet parsed as JSON, with the line where it began (from 1). */
export type FramedText = { readonly ok: true; readonly text: string; readonly line: number }

/** The default bound on one line, one SSE event and one JSON element: 16 MiB. */
export const defaultMaxFrameBytes: number = 16 * 1024 * 1024
