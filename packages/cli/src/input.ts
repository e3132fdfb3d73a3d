import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import {
  createJsonElementsDecoder,
  createNdjsonDecoder,
  createSseDecoder,
  type FramedText,
  type FramingFault,
  SluiceError,
} from '@sluice/protocol'
import type { Io } from './io.ts'

export const inputFormats = ['ndjson', 'sse', 'json'] as const
export type InputFormat = (typeof inputFormats)[number]

export interface Input {
  /** As the findings name it: the file's path, or `-`. */
  readonly name: string
  /** Known for files. */
  readonly totalBytes?: number
  readonly stream: Readable
}

const chunkBytes = 256 * 1024

/** Opens FILE, or standard input for `-` and for no file. Throws `unreadable_input`. */
export async function openInput(file: string | undefined, io: Io): Promise<Input> {
  if (file === undefined || file === '-') return { name: '-', stream: io.stdin }
  try {
    const found = await stat(file)
    if (found.isDirectory()) throw new Error('a directory')
    return {
      name: file,
      totalBytes: found.size,
      stream: createReadStream(file, { highWaterMark: chunkBytes }),
    }
  } catch (error) {
    throw new SluiceError('unreadable_input', {
      message: `${file} cannot be read (${reasonOf(error)}).`,
      cause: error,
    })
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason'
  const code = 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return 'there is no such file'
  return code === 'EACCES' ? 'permission denied' : typeof code === 'string' ? code : error.message
}

interface TextDecoding {
  push(chunk: Uint8Array): readonly (FramedText | FramingFault)[]
  end(): readonly (FramedText | FramingFault)[]
}

/**
 * The frames of an input, chunk by chunk. Without a `format`, detects it from the beginning of the input.
 * Calls `onBytes` with the number of bytes read so far.
 */
export async function* readFrames(
  input: Input,
  format: InputFormat | undefined,
  onBytes: (bytes: number) => void,
): AsyncGenerator<readonly (FramedText | FramingFault)[]> {
  let decoder = format === undefined ? undefined : createDecoder(format)
  let waiting: Buffer = Buffer.alloc(0)
  let total = 0
  try {
    for await (const chunk of input.stream) {
      const bytes = Buffer.from(chunk as Buffer | string) // a readable of bytes gives one of the two
      total += bytes.length
      onBytes(total)
      if (decoder !== undefined) {
        yield decoder.push(bytes)
        continue
      }
      waiting = waiting.length === 0 ? bytes : Buffer.concat([waiting, bytes])
      const found = sniffFormat(waiting)
      if (found === undefined) continue
      decoder = createDecoder(found)
      yield decoder.push(waiting)
    }
  } catch (error) {
    throw new SluiceError('unreadable_input', {
      message: `${input.name} cannot be read (${reasonOf(error)}).`,
      cause: error,
    })
  }
  if (decoder === undefined) {
    decoder = createDecoder(sniffFormat(waiting, { isAll: true }) ?? 'ndjson')
    yield decoder.push(waiting)
  }
  yield decoder.end()
}

function createDecoder(format: InputFormat): TextDecoding {
  if (format === 'json') return createJsonElementsDecoder()
  if (format === 'ndjson') return createNdjsonDecoder()
  const decoder = createSseDecoder({ flushAtEnd: true })
  const texts = (results: ReturnType<typeof decoder.push>): readonly (FramedText | FramingFault)[] =>
    results.map((result) => (result.ok ? { ok: true, text: result.data, line: result.line } : result))
  return { push: (chunk) => texts(decoder.push(chunk)), end: () => texts(decoder.end()) }
}

const sniffBytes = 64 * 1024

/** Detects the format from the beginning of an input; undefined while that is too short. */
function sniffFormat(
  head: Buffer,
  { isAll = false }: { readonly isAll?: boolean | undefined } = {},
): InputFormat | undefined {
  const text = head
    .subarray(0, sniffBytes)
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()
  if (text === '') return isAll ? 'ndjson' : undefined
  if (text.startsWith('[')) return 'json'
  if (/^(data|event|id|retry)?:/.test(text)) return 'sse'
  const lineEnd = text.indexOf('\n')
  if (lineEnd < 0 && !isAll && head.length < sniffBytes) return undefined
  // An object that does not end on its first line spans several lines.
  const line = lineEnd < 0 ? text : text.slice(0, lineEnd)
  return text.startsWith('{') &&
    lineEnd >= 0 &&
    !isJson(line) &&
    /^\{\s*("[^"\n]*"\s*:.*[,{[]\s*)?$/.test(line)
    ? 'json'
    : 'ndjson'
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
