import { backendError } from '../request/refusal.ts'
import { type RequestPolicy, usualPolicy } from '../request/request-policy.ts'

/** The usual policy, except that it refuses values that Gemini CLI would misunderstand. */
export const geminiPolicy: RequestPolicy = (input) => {
  const values = usualPolicy(input)
  // `--resume latest` starts another session if there is none, and nothing that Sluice can read shows that.
  if (values.resume?.selector === 'last')
    throw backendError('selector "last" unsupported for gemini_cli resume')
  // Gemini CLI takes these as the last session, or as the position of one in a list.
  if (values.resume !== undefined && /^\s*(?:latest|\d+)\s*$/i.test(values.resume.id))
    throw backendError('session id unsupported for gemini_cli resume')
  // Gemini CLI ends a directory at a comma, which cannot be escaped.
  if (values.addDirs.some((dir) => dir.includes(','))) throw backendError('add_dirs rejected by runtime')
  return values
}
