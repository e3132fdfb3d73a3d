import { isJsonObject, type JsonValue } from '@sluice/protocol'
import { listNames, quote } from './quote.ts'

/** What an agent of a configuration would do: its program or address, and everything that makes it do more. */
export function describeAgent([name, value]: readonly [string, JsonValue | undefined]): readonly string[] {
  const agent = isJsonObject(value) ? value : {}
  const { type, title: _, command, program, url, model: _model, ...rest } = agent
  const { env, passEnv, permissions, requestsMayRaisePermissions, headers, tokenFile, ...others } = rest
  const words = Array.isArray(command) ? command.map(String).join(' ') : (program ?? url ?? type)
  const verb = command === undefined && program === undefined && url !== undefined ? 'calls' : 'runs'
  const told = [
    `${verb} ${quote(words)}`,
    ...unless(env === undefined, () => `sets the variables ${listNames(toPairs(env))}`),
    ...unless(passEnv === undefined, () => `gets these variables of yours: ${listNames(toNames(passEnv))}`),
    ...unless(
      permissions === undefined || permissions === 'ask',
      () => `has the permissions ${quote(permissions)}`,
    ),
    ...unless(
      requestsMayRaisePermissions === undefined || requestsMayRaisePermissions === false,
      () => 'lets requests exceed its permissions (requestsMayRaisePermissions)',
    ),
    ...unless(tokenFile === undefined, () => `sends the content of the file ${quote(tokenFile)}`),
    ...unless(headers === undefined, () => `sends the headers ${listNames(toNames(headers))}`),
    ...unless(
      Object.keys(others).length === 0,
      () => `also sets ${listNames(Object.entries(others).map(([key, of]) => `${key} ${quote(of, 80)}`))}`,
    ),
  ]
  return told.map((line) => `agent ${quote(name, 100)} ${line}`)
}

function unless(isUsual: boolean, tell: () => string): readonly string[] {
  return isUsual ? [] : [tell()]
}

function toPairs(env: JsonValue | undefined): readonly string[] {
  if (!isJsonObject(env)) return [quote(env, 80)]
  return Object.entries(env).map(([name, value]) => `${name}=${quote(value, 40)}`)
}

function toNames(value: JsonValue | undefined): readonly string[] {
  if (Array.isArray(value)) return value.map(String)
  return isJsonObject(value) ? Object.keys(value) : [quote(value, 80)]
}
