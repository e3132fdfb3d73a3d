import { SluiceError } from './error.ts'
import { createUtf8Meter } from './framing/utf8.ts'
import { isJsonObject, type JsonValue } from './json.ts'
import { trimWhiteSpace } from './trim-white-space.ts'

/** The extension of a run request that names additional directories. */
export const addDirsKey = 'agent_api.exec.add_dirs.v1'

const maxDirs = 16
const maxDirBytes = 1024

/**
 * Returns the names of the additional directories in a run request, without white space around them. Nothing
 * else may parse the extension: the check and the use of the directories must agree. Throws `invalid_run`.
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

/** The error for the extension, or for a place in it. It never contains the value. */
export function invalidAddDirs(place: string): SluiceError {
  return new SluiceError('invalid_run', { message: `invalid request: invalid ${addDirsKey}${place}` })
}
