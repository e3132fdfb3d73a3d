import { dirname, resolve } from 'node:path'
import { isJsonObject, type JsonValue, omitUndefined } from '@sluice/protocol'
import { defaultConfig, type GatewayConfig } from './config.ts'
import type { Given } from './layers.ts'
import type { Setting } from './settings.ts'

/** The defaults, overridden by the given values in order. Makes relative paths absolute. */
export function mergeLayers(given: readonly Given[], cwd: string): GatewayConfig {
  const config = structuredClone(defaultConfig) as unknown as Record<string, JsonValue> // a copy, plain data
  for (const { setting, value, origin } of given) {
    const folder = origin.kind === 'file' ? dirname(origin.name) : cwd
    setAt(config, setting.path, resolvePaths(setting, value, folder))
  }
  return config as unknown as GatewayConfig // each value fits its schema; checkRules() finds missing ones
}

const pathSettings: readonly string[] = ['/data', '/tls/cert', '/tls/key', '/auth/keys', '/aaep/socket']
/** The key of the objects in a list that is a path. */
const listedPaths: Readonly<Record<string, string>> = { '/auth/jwt': 'key', '/aaep/upstreams': 'tokenFile' }

function resolvePaths({ pointer }: Setting, value: JsonValue, folder: string): JsonValue {
  if (pointer === '/aaep/socket' && value === 'auto') return value
  if (pathSettings.includes(pointer) && typeof value === 'string') return resolve(folder, value)
  if (pointer === '/agents' && isJsonObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, agent = null]) => [name, resolveAgentPaths(agent, folder)]),
    )
  const name = listedPaths[pointer]
  if (name === undefined || !Array.isArray(value)) return value
  return value.map((item: JsonValue) => {
    const path = isJsonObject(item) ? item[name] : undefined
    return isJsonObject(item) && typeof path === 'string' ? { ...item, [name]: resolve(folder, path) } : item
  })
}

/** A program without a slash is searched for on the path, and so is a command. */
function resolveAgentPaths(agent: JsonValue, folder: string): JsonValue {
  if (!isJsonObject(agent)) return agent
  const toPath = (text: JsonValue): JsonValue => (typeof text === 'string' ? resolve(folder, text) : text)
  const toProgram = (text: JsonValue): JsonValue =>
    typeof text === 'string' && /[\\/]/.test(text) ? resolve(folder, text) : text
  const { workingDirs, tokenFile, program, command } = agent
  return {
    ...agent,
    ...(Array.isArray(workingDirs) ? { workingDirs: workingDirs.map(toPath) } : {}),
    ...omitUndefined({
      tokenFile: tokenFile === undefined ? undefined : toPath(tokenFile),
      program: program === undefined ? undefined : toProgram(program),
    }),
    ...(Array.isArray(command)
      ? { command: command.map((part, index) => (index === 0 ? toProgram(part) : part)) }
      : {}),
  }
}

function setAt(target: Record<string, JsonValue>, path: readonly string[], value: JsonValue): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    target[name] = value
    return
  }
  const section = { ...(isJsonObject(target[name]) ? target[name] : {}) } as Record<string, JsonValue> // our own copy
  setAt(section, rest, value)
  target[name] = section
}
