import { dirname, resolve } from 'node:path'
import { isJsonObject, type JsonValue } from '@sluice/protocol'
import { defaultConfig, type GatewayConfig } from './config.ts'
import type { Given } from './layers.ts'
import type { Setting } from './settings.ts'

/** The defaults and what was given, of which later ones win. Relative paths become absolute. */
export function mergeLayers(given: readonly Given[], cwd: string): GatewayConfig {
  const config = structuredClone(defaultConfig) as unknown as Record<string, JsonValue> // a copy, plain data
  for (const { setting, value, origin } of given) {
    const folder = origin.kind === 'file' ? dirname(origin.name) : cwd
    setAt(config, setting.path, resolvePaths(setting, value, folder))
  }
  return config as unknown as GatewayConfig // each value was read by its schema; checkRules() finds what is missing
}

const pathSettings: readonly string[] = ['/data', '/tls/cert', '/tls/key', '/auth/keys']

function resolvePaths({ pointer }: Setting, value: JsonValue, folder: string): JsonValue {
  if (pathSettings.includes(pointer) && typeof value === 'string') return resolve(folder, value)
  if (pointer !== '/auth/jwt' || !Array.isArray(value)) return value
  return value.map((issuer: JsonValue) =>
    isJsonObject(issuer) && typeof issuer['key'] === 'string'
      ? { ...issuer, key: resolve(folder, issuer['key']) }
      : issuer,
  )
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
