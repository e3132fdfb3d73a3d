import { SluiceError } from './error.ts'
import { createUtf8Meter } from './framing/utf8.ts'
import { isJsonObject, type JsonValue } from './json.ts'
import { trimWhiteSpace } from './trim-white-space.ts'

/** The extension of a run request that names further directories. */
export const addDirsKey = 'agent_api.exec.add_dirs.v1'

const maxDirs = 16
const maxDirBytes = 1024

/**
 * The names of the further directories in a run request, without white space around them. This is the only reading of
 * the extension: whoever checks the directories and whoever uses them must have the same. Throws `invalid_run`.
 */
export function parseAddDirs(value: JsonValue): readonly string[] {
  if (!isJsonObject(value) || Object.keys(value).join() !== 'dirs') throw invalidAddDirs('')
  const { dirs } = value
  if (!Array.isArray(dirs) || dirs.length === 0 || dirs.length > maxDirs) throw invalidAddDirs('.dirs')
  const bytesOf = createUtf8Meter()
  return dirs.map((dir: JsonValue, index) => {
    const name = typeof dir === 'string' ? trimWhiteSpace(dir) : ''
    if (name === '' || name.includes('\0') || bytesOf(name) > maxDirBytes)
      throw invalidAddDirs(`.dirs[${index}]`)
    return name
  })
}

/** The refusal of the extension, or of a place in it. It never tells the value. */
export function invalidAddDirs(place: string): SluiceError {
  return new SluiceError('invalid_run', { message: `invalid request: invalid ${addDirsKey}${place}` })
}
