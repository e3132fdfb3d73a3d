import { resolve } from 'node:path'
import { isJsonObject, type JsonValue, nearestName, SluiceError } from '@sluice/protocol'
import { configFileName, parseConfigFile, readConfigFileText } from './config-file.ts'
import type { Origin, Problem } from './origin.ts'
import { readText } from './read-text.ts'
import { readValue } from './read-value.ts'
import { rootNode, type Setting, settings } from './settings.ts'

export interface ConfigSources {
  /** By the names of the flags, such as `tls-cert`; undefined for flags that were not given. */
  readonly flags?: Readonly<Record<string, string | undefined>>
  readonly env?: Readonly<Record<string, string | undefined>>
  /** A file that must exist. Without it, `sluice.config.json` in `cwd` is read if it exists. */
  readonly file?: string | undefined
  /** The text of that file if the caller has read it; null if it was missing, even if it exists by now. */
  readonly text?: string | null
  /** The base of relative paths in flags and variables; paths in the file are relative to its folder. */
  readonly cwd: string
}

/** What one source says about one setting. */
export interface Given {
  readonly setting: Setting
  readonly value: JsonValue
  readonly origin: Origin
}

/** What the sources say, in order of increasing precedence; adds their errors to `problems`. */
export async function readLayers(sources: ConfigSources, problems: Problem[]): Promise<readonly Given[]> {
  return [
    ...(await readFileLayer(sources, problems)),
    ...readVariables(sources.env ?? {}, problems),
    ...readFlags(sources.flags ?? {}, problems),
  ]
}

async function readFileLayer(sources: ConfigSources, problems: Problem[]): Promise<readonly Given[]> {
  const path = resolve(sources.cwd, sources.file ?? configFileName)
  const origin: Origin = { kind: 'file', name: path }
  const complain = (place: readonly string[], says: string): void => {
    problems.push({ origin, path: place, says })
  }
  const text = sources.text === undefined ? await readConfigFileText(path) : (sources.text ?? undefined)
  const found = text === undefined ? undefined : parseConfigFile(text, complain)
  if (found === undefined) {
    if (sources.file === undefined) return []
    throw new SluiceError('bad_config', { message: `There is no configuration file ${path}.` })
  }
  const { $schema: _, ...rest } = found
  const read = readValue(rootNode, rest, { path: [], complain })
  return settings.flatMap((setting) => {
    const value = valueAt(read, setting.path)
    return value === undefined ? [] : [{ setting, value, origin }]
  })
}

/** Variables with our prefix that are not settings. */
const otherVariables: readonly string[] = [
  'CONFIG',
  'TOKEN',
  'GATEWAY',
  'DEBUG',
  'ROUNDS',
  'SEED',
  'REQUIRE',
].map((name) => `SLUICE_${name}`)

/** Kubernetes sets these in each pod beside a service whose name is sluice or starts with sluice-. */
const serviceVariable = /^SLUICE_(\w+_)?(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP|SCTP))/
const serviceAddress = /^(tcp|udp|sctp):\/\//

function readVariables(env: NonNullable<ConfigSources['env']>, problems: Problem[]): readonly Given[] {
  const names = Object.keys(env).filter(
    (name) =>
      name.startsWith('SLUICE_') &&
      !otherVariables.includes(name) &&
      !serviceVariable.test(name) &&
      !(name.endsWith('_PORT') && serviceAddress.test(env[name] ?? '')),
  )
  return names.flatMap((name) =>
    readGiven({ kind: 'variable', name }, env[name], { nameOf: ({ variable }) => variable, problems }),
  )
}

function readFlags(flags: NonNullable<ConfigSources['flags']>, problems: Problem[]): readonly Given[] {
  return Object.keys(flags).flatMap((name) =>
    readGiven({ kind: 'flag', name }, flags[name], { nameOf: ({ flag }) => flag, problems }),
  )
}

function readGiven(
  origin: Origin,
  text: string | undefined,
  { nameOf, problems }: { readonly nameOf: (setting: Setting) => string; readonly problems: Problem[] },
): readonly Given[] {
  if (text === undefined) return []
  const setting = settings.find((candidate) => nameOf(candidate) === origin.name)
  if (setting === undefined) {
    const near = nearestName(origin.name, settings.map(nameOf))
    const dashes = origin.kind === 'flag' ? '--' : ''
    const hint = near === undefined ? '' : ` Did you mean ${dashes}${near}?`
    problems.push({ origin, path: [], says: `sets nothing that exists.${hint}` })
    return []
  }
  const value = readValue(setting.schema, readText(setting.schema, text), {
    path: setting.path,
    complain: (path, says) => {
      problems.push({ origin, path, says })
    },
  })
  return value === undefined ? [] : [{ setting, value, origin }]
}

function valueAt(value: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((at, step) => (isJsonObject(at) ? at[step] : undefined), value)
}
