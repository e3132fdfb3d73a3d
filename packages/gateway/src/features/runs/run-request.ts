import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import {
  addDirsKey,
  type JsonObject,
  omitUndefined,
  parseAddDirs,
  type RunRequest,
  SluiceError,
} from '@sluice/protocol'
import type { HostedAgent } from './hosted-agent.ts'

/** A run, as a client requests it (docs/http-api.md, Agents). */
export interface AskedRun {
  readonly prompt: string
  readonly workingDir?: string
  readonly timeoutMs?: number
  readonly env?: Readonly<Record<string, string>>
  readonly extensions?: JsonObject
  readonly context?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly attributes?: JsonObject
  /** The id for its session. */
  readonly session?: string
}

/**
 * The request for the agent, if it stays within the directories and variables that the agent allows. Its
 * directories are real paths, exactly those that were checked. Throws `invalid_run` with the setting that
 * would have to allow it, and `run_not_permitted` for directories of an agent that has none.
 */
export async function toRunRequest(name: string, hosted: HostedAgent, asked: AskedRun): Promise<RunRequest> {
  const { prompt, timeoutMs, env } = asked
  for (const [variable, value] of Object.entries(env ?? {})) {
    if (!hosted.allowEnv.includes(variable))
      throw invalid(`env may set only the variables in agents.${name}.allowEnv.`, '/env')
    if (value.includes('\0')) throw invalid('A variable must not have the character U+0000.', '/env')
  }
  const workingDir = await toWorkingDir(name, hosted, asked.workingDir)
  return {
    prompt,
    ...omitUndefined({ workingDir, timeoutMs, env }),
    ...(await toExtensions(name, hosted, { extensions: asked.extensions, workingDir })),
  }
}

/** Throws `run_failed` if a directory of a request is no longer the one that was checked. */
export async function assertSameDirs({ workingDir, addDirs = [] }: RunRequest): Promise<void> {
  for (const path of workingDir === undefined ? addDirs : [workingDir, ...addDirs])
    if ((await realpath(path).catch(() => path)) !== path)
      throw new SluiceError('run_failed', {
        message: 'A directory of the run was replaced by a link while it waited for its turn.',
      })
}

async function toWorkingDir(
  name: string,
  { workingDirs }: HostedAgent,
  asked: string | undefined,
): Promise<string | undefined> {
  const [first] = workingDirs
  if (asked === undefined) return first === undefined ? undefined : realpath(first).catch(() => first)
  if (first === undefined) throw invalid('This agent works in no directory.', '/workingDir')
  return toAllowed(resolve(first, asked), { name, allowed: workingDirs, place: '/workingDir' })
}

/**
 * Takes the additional directories out of the extensions, so that nothing reads again what was checked here.
 */
async function toExtensions(
  name: string,
  { workingDirs, requestsMayRaisePermissions }: HostedAgent,
  {
    extensions,
    workingDir,
  }: { readonly extensions: JsonObject | undefined; readonly workingDir: string | undefined },
): Promise<Pick<RunRequest, 'extensions' | 'addDirs'>> {
  const { [addDirsKey]: dirs, ...others } = extensions ?? {}
  if (extensions === undefined || dirs === undefined) return omitUndefined({ extensions })
  const place = `/extensions/${addDirsKey}`
  if (workingDir === undefined) {
    if (requestsMayRaisePermissions) return { extensions }
    throw new SluiceError('run_not_permitted', {
      message: `${addDirsKey} names directories, and agents.${name} has no workingDirs that would bound them. Only agents.${name}.requestsMayRaisePermissions lets a request name any.`,
      details: { path: place, ceiling: 'none', setting: 'requestsMayRaisePermissions' },
    })
  }
  const addDirs = new Set<string>()
  for (const dir of parseAddDirs(dirs))
    addDirs.add(await toAllowed(resolve(workingDir, dir), { name, allowed: workingDirs, place }))
  return { extensions: others, addDirs: [...addDirs] }
}

/**
 * The real path of an allowed directory. A path outside is refused unseen; one inside may be a link that
 * leads outside.
 */
async function toAllowed(
  path: string,
  {
    name,
    allowed,
    place,
  }: { readonly name: string; readonly allowed: readonly string[]; readonly place: string },
): Promise<string> {
  const outside = invalid(`The directory is not below one of agents.${name}.workingDirs.`, place)
  const roots = await Promise.all(allowed.map((directory) => realpath(directory).catch(() => directory)))
  if (![...allowed, ...roots].some((directory) => isBelow(path, directory))) throw outside
  const real = await realpath(path).catch(() => undefined)
  if (real === undefined) throw invalid('The directory does not exist.', place)
  if (!roots.some((directory) => isBelow(real, directory))) throw outside
  const isDirectory = await stat(real).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isDirectory) throw invalid('The directory does not exist.', place)
  return real
}

function isBelow(path: string, directory: string): boolean {
  const way = relative(directory, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function invalid(message: string, path: string): SluiceError {
  return new SluiceError('invalid_run', { message, details: { path } })
}
