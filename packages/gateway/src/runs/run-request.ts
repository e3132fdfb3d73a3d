import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { isJsonObject, type JsonObject, type RunRequest, SluiceError } from '@sluice/protocol'
import type { HostedAgent } from './hosted-agent.ts'

/** A run as it is asked for (docs/http-api.md, Agents). */
export interface AskedRun {
  readonly prompt: string
  readonly workingDir?: string
  readonly timeoutMs?: number
  readonly env?: Readonly<Record<string, string>>
  readonly extensions?: JsonObject
  readonly context?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly attributes?: JsonObject
  /** The id that its session is to have. */
  readonly session?: string
}

const addDirsKey = 'agent_api.exec.add_dirs.v1'

/**
 * The request for the agent, if it keeps to what the agent may be asked for here: directories and variables. Throws
 * `invalid_run` with the setting that would have to allow it.
 */
export async function toRunRequest(name: string, hosted: HostedAgent, asked: AskedRun): Promise<RunRequest> {
  const { prompt, timeoutMs, env, extensions } = asked
  for (const variable of Object.keys(env ?? {}))
    if (!hosted.allowEnv.includes(variable))
      throw invalid(`env may set only the variables in agents.${name}.allowEnv.`, '/env')
  const workingDir = await toWorkingDir(name, hosted, asked.workingDir)
  await assertAddedDirs(name, hosted, extensions, workingDir)
  return {
    prompt,
    ...(workingDir === undefined ? {} : { workingDir }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(env === undefined ? {} : { env }),
    ...(extensions === undefined ? {} : { extensions }),
  }
}

async function toWorkingDir(
  name: string,
  { workingDirs }: HostedAgent,
  asked: string | undefined,
): Promise<string | undefined> {
  const [first] = workingDirs
  if (asked === undefined) return first
  if (first === undefined) throw invalid('This agent works in no directory.', '/workingDir')
  return toAllowed(resolve(first, asked), name, workingDirs, '/workingDir')
}

/** The form of the value is the agent's concern. */
async function assertAddedDirs(
  name: string,
  { workingDirs }: HostedAgent,
  extensions: JsonObject | undefined,
  workingDir: string | undefined,
): Promise<void> {
  const value = extensions?.[addDirsKey]
  const dirs = isJsonObject(value) ? value['dirs'] : undefined
  if (workingDir === undefined || !Array.isArray(dirs)) return
  for (const dir of dirs)
    if (typeof dir === 'string')
      await toAllowed(resolve(workingDir, dir.trim()), name, workingDirs, `/extensions/${addDirsKey}`)
}

/** What is outside is not looked at; what is inside may lead outside by a link. */
async function toAllowed(
  path: string,
  name: string,
  allowed: readonly string[],
  place: string,
): Promise<string> {
  const outside = invalid(`The directory is not below one of agents.${name}.workingDirs.`, place)
  if (!allowed.some((directory) => isBelow(path, directory))) throw outside
  const isDirectory = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isDirectory) throw invalid('The directory does not exist.', place)
  const real = await realpath(path)
  for (const directory of allowed)
    if (isBelow(real, await realpath(directory).catch(() => directory))) return real
  throw outside
}

function isBelow(path: string, directory: string): boolean {
  const way = relative(directory, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function invalid(message: string, path: string): SluiceError {
  return new SluiceError('invalid_run', { message, details: { path } })
}
