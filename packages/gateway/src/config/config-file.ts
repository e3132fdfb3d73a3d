import { readFile, stat } from 'node:fs/promises'
import { isJsonObject, type JsonObject, type JsonValue, lintJson, SluiceError } from '@sluice/protocol'
import type { Complain } from './read-value.ts'
import { toPointer } from './settings.ts'

export const configFileName = 'sluice.config.json'
const maxFileBytes = 1024 * 1024

/** The JSON object in a configuration file. Reports errors in its JSON to `complain`. */
export function parseConfigFile(text: string, complain: Complain): JsonObject {
  let value: JsonValue
  try {
    value = JSON.parse(text) as JsonValue // JSON.parse() returns nothing else
  } catch (error) {
    complain([], `is not valid JSON (${placeOf(error, text)}).`)
    return {}
  }
  for (const { code, pointer } of lintJson(text))
    if (code === 'duplicate_key') complain(fromPointer(pointer), 'occurs twice in its object.')
  if (isJsonObject(value)) return value
  complain([], 'must hold one JSON object.')
  return {}
}

/** The text of a configuration file; undefined when it does not exist. Throws `bad_config` when it cannot be read. */
export async function readConfigFileText(path: string): Promise<string | undefined> {
  try {
    const { size } = await stat(path)
    if (size > maxFileBytes) throw new Error('it is larger than 1 MiB')
    const text = await readFile(path, 'utf8')
    return text.replace(/^\ufeff/, '')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
    if (code === 'ENOENT') return undefined
    const reason = code ?? (error instanceof Error ? error.message : 'unknown reason')
    throw new SluiceError('bad_config', {
      message: `The configuration file ${path} cannot be read (${reason}).`,
      cause: error,
    })
  }
}

/** Recent versions of Node quote the input in the message, so only the position is taken from it. */
function placeOf(error: unknown, text: string): string {
  const position = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined
  const before = text.slice(0, position === undefined ? text.length : Number(position)).split('\n')
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

function fromPointer(pointer: string): readonly string[] {
  const path = pointer.split('/').slice(1)
  const steps = path.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  return toPointer(steps) === pointer ? steps : [pointer]
}
