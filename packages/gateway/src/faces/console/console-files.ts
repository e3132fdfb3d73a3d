import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { SluiceError } from '@sluice/protocol'
import { minCompressedBytes } from '../http/gzip.ts'
import { acceptsEncoding } from '../http/media-type.ts'

/** The bytes of a file in the encoding that is sent. */
export interface FileForm {
  readonly encoding: 'br' | 'gzip' | undefined
  readonly bytes: Buffer
  /** Different for each encoding. */
  readonly etag: string
}

/** A file of the console, held in memory. */
export interface ConsoleFile {
  readonly mediaType: string
  /** The smallest form that this Accept-Encoding allows. Each form is made once, on first use. */
  formFor(acceptEncoding: string | undefined): Promise<FileForm>
}

export interface ConsoleFiles {
  readonly page: ConsoleFile
  /** All other files, by path. No other path is ever looked up on disk. */
  readonly files: ReadonlyMap<string, ConsoleFile>
}

const compress = {
  br: (bytes: Buffer): Promise<Buffer> =>
    promisify(brotliCompress)(bytes, {
      // 11, the highest, takes ten times as long to save another tenth.
      params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes: Buffer): Promise<Buffer> => promisify(gzip)(bytes),
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}
const compressed: readonly string[] = ['.html', '.js', '.css', '.svg', '.json']
const maxBytes = 16 * 1024 * 1024

/** Reads the built console once. Throws `bad_config` when it is missing or larger than 16 MiB. */
export function readConsole(directory: string): ConsoleFiles {
  try {
    const assets = fileNames(join(directory, 'assets')).map((name) => `assets/${name}`)
    const names = [...fileNames(directory).filter((name) => name === 'favicon.svg'), ...assets]
    const files = names.map((name) => [name, readFileSync(join(directory, name))] as const)
    const page = readFileSync(join(directory, 'index.html'))
    const bytes = files.reduce((sum, [, file]) => sum + file.length, page.length)
    if (bytes > maxBytes) throw new Error('it is larger than 16 MiB')
    return {
      page: toFile('index.html', page),
      files: new Map(files.map(([name, content]) => [`/${name}`, toFile(name, content)])),
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : ''
    throw new SluiceError('bad_config', { message: `The console cannot be read: ${why}.`, cause })
  }
}

function fileNames(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []))
}

function toFile(name: string, bytes: Buffer): ConsoleFile {
  const extension = extname(name)
  const isCompressed = compressed.includes(extension) && bytes.length >= minCompressedBytes
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  const plain: FileForm = { encoding: undefined, bytes, etag: `"${hash}"` }
  const forms: { br?: Promise<FileForm>; gzip?: Promise<FileForm> } = {}
  const make = async (encoding: 'br' | 'gzip'): Promise<FileForm> => ({
    encoding,
    bytes: await compress[encoding](bytes),
    etag: `"${hash}-${encoding}"`,
  })
  return {
    mediaType: mediaTypes[extension] ?? 'application/octet-stream',
    async formFor(acceptEncoding) {
      if (!isCompressed) return plain
      const encoding = (['br', 'gzip'] as const).find((name) => acceptsEncoding(acceptEncoding, name))
      if (encoding === undefined) return plain
      forms[encoding] ??= make(encoding)
      return forms[encoding]
    },
  }
}
