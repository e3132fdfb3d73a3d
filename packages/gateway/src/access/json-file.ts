import { SluiceError } from '@sluice/protocol'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/schema'

/** Parses and checks the text of a file; throws `bad_config` with the file, the place, and the error. */
export function parseJsonFile<Schema extends TSchema>(
  path: string,
  text: string,
  schema: Schema,
): Static<Schema> {
  const value = parseJson(path, text)
  const validator = Compile(schema)
  if (validator.Check(value)) return value as Static<Schema> // the schema was checked
  const [, [first]] = validator.Errors(value)
  const place = first?.instancePath === '' || first === undefined ? 'the file' : first.instancePath
  throw new SluiceError('bad_config', {
    message: `${path}: ${place} ${first?.message ?? 'has not the expected form'}`,
  })
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    // The message of JSON.parse quotes the text, which may be secret.
    const position = /at position (\d+)/.exec(String(cause))?.[1]
    const lines = text.slice(0, position === undefined ? text.length : Number(position)).split('\n')
    const place = `${path}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`
    throw new SluiceError('bad_config', { message: `${place}: This is not JSON.` })
  }
}
