import { backendError } from '../request/refusal.ts'
import { type RequestPolicy, usualPolicy } from '../request/request-policy.ts'

/** The usual reading of a request, less what Gemini CLI would understand otherwise than it is meant. */
export const geminiPolicy: RequestPolicy = (input) => {
  const values = usualPolicy(input)
  // `--resume latest` begins a session of its own where there is none, and nothing that can be read says so.
  if (values.resume?.selector === 'last')
    throw backendError('selector "last" unsupported for gemini_cli resume')
  // It takes these for the last session, or for one by its place in a list.
  if (values.resume !== undefined && /^\s*(?:latest|\d+)\s*$/i.test(values.resume.id))
    throw backendError('session id unsupported for gemini_cli resume')
  // It takes a comma for the end of a directory, and there is no escaping it.
  if (values.addDirs.some((dir) => dir.includes(','))) throw backendError('add_dirs rejected by runtime')
  return values
}
