import {
  type Dialect,
  type Finding,
  type FramedText,
  type FramingFault,
  isJsonObject,
  type JsonValue,
  omitUndefined,
  SluiceError,
} from '@sluice/protocol'
import { type Converted, createConverter, detectDialect } from '@sluice/protocol/dialects'
import { type Input, type InputFormat, readFrames } from './input.ts'

/** A finding and the line of the input where its frame begins. */
export interface PlacedFinding extends Finding {
  readonly line: number
}

export interface RecordingOptions {
  /** Undefined: detected from the first frames. */
  readonly from: Dialect | undefined
  readonly to?: Dialect
  readonly session?: string
  readonly at?: number
  readonly format: InputFormat | undefined
  readonly onBytes: (bytes: number) => void
  /** Further findings on the text of a frame. */
  readonly lint?: (text: string) => readonly Finding[]
}

/** The result for consecutive frames of a recording. */
export interface RecordingStep {
  readonly converted: readonly Converted[]
  readonly findings: readonly PlacedFinding[]
}

const maxFramesToDetect = 64

/** Reads a recording to its end. Throws `undetected_dialect` when nothing in its first frames is recognised. */
export async function* readRecording(input: Input, options: RecordingOptions): AsyncGenerator<RecordingStep> {
  const { to, session, at, lint } = options
  const start = (from: Dialect) =>
    createConverter({
      from,
      ...omitUndefined({ to, session, at }),
    })
  let converter = options.from === undefined ? undefined : start(options.from)
  let waiting: FramedText[] = []
  let frames = 0
  let lastLine = 1

  const take = (framed: readonly (FramedText | FramingFault)[]): RecordingStep => {
    const step = { converted: [] as Converted[], findings: [] as PlacedFinding[] }
    for (const frame of framed) {
      frames += 1
      lastLine = frame.line
      if (!frame.ok) {
        step.findings.push(toFaultFinding(frame))
        continue
      }
      if (converter === undefined) {
        waiting.push(frame)
        const found = detect(frame.text)
        if (found !== undefined) converter = start(found)
        else if (waiting.length >= maxFramesToDetect)
          throw new SluiceError('undetected_dialect', { message: undetected })
        else continue
        for (const early of waiting) takeFrame(converter, early, step)
        waiting = []
      } else takeFrame(converter, frame, step)
    }
    return step
  }

  const takeFrame = (
    reader: ReturnType<typeof start>,
    frame: FramedText,
    { converted, findings }: { readonly converted: Converted[]; readonly findings: PlacedFinding[] },
  ): void => {
    const result = reader.push(frame.text)
    converted.push(result)
    for (const finding of result.findings) findings.push({ ...finding, line: frame.line })
    if (lint !== undefined && result.verdict !== 'refused')
      for (const finding of lint(frame.text)) findings.push({ ...finding, line: frame.line })
  }

  for await (const framed of readFrames(input, options.format, options.onBytes)) {
    if (framed.length > 0) yield take(framed)
  }
  if (frames === 0) yield { converted: [], findings: [emptyInput] }
  if (converter === undefined && waiting.length > 0)
    throw new SluiceError('undetected_dialect', { message: undetected })
  const ends = converter?.end() ?? []
  const findings = ends.flatMap((end) => end.findings.map((finding) => ({ ...finding, line: lastLine })))
  if (ends.length > 0) yield { converted: ends, findings }
}

const undetected = 'Sluice did not recognise the dialect of the input; name it. See: sluice dialects'

const emptyInput: PlacedFinding = {
  code: 'empty_input',
  path: '',
  message: 'The input contains no frame.',
  rule: 'Sluice framing',
  line: 1,
}

const faultSentences: Readonly<Record<FramingFault['code'], string>> = {
  line_too_long: 'The line is longer than 16 MiB and was skipped.',
  event_too_long: 'The event is longer than 16 MiB and was skipped.',
  element_too_long: 'The element is longer than 16 MiB and was skipped.',
  element_not_closed: 'The input ends inside an element.',
  array_not_closed: 'The array is not closed.',
  missing_comma: 'A comma is missing before this element.',
  trailing_comma: 'There is a comma instead of an element.',
  text_after_array: 'Something follows the end of the array.',
  unexpected_text: 'This is not JSON.',
  invalid_utf8: 'This is not valid UTF-8.',
}

function toFaultFinding(fault: FramingFault): PlacedFinding {
  const message = `${faultSentences[fault.code]} (${fault.bytes} bytes)`
  return { code: fault.code, path: '', message, rule: 'Sluice framing', line: fault.line }
}

function detect(text: string): Dialect | undefined {
  try {
    const value = JSON.parse(text) as JsonValue // nothing else comes out of it
    return isJsonObject(value) ? detectDialect(value) : undefined
  } catch {
    return undefined
  }
}
