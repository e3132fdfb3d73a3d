import {
  addKey,
  type GatewayConfig,
  grantForm,
  keyFileOf,
  listKeys,
  parseDuration,
  parseGrant,
  revokeKey,
  rotateSecrets,
} from '@sluice/gateway/admin'
import { nearestName, omitUndefined, SluiceError } from '@sluice/protocol'
import { type Command, type CommandArgs, stringValue, stringValues } from '../command.ts'
import { tellOfOthers } from '../data-directory.ts'
import { exitCode } from '../exit-code.ts'
import { dataOptions, findUsualData } from '../gateway-connection.ts'
import type { Io } from '../io.ts'
import { createOutput } from '../output.ts'
import { toSafeLine } from '../safe-text.ts'
import { formatTable } from '../text-table.ts'
import { loadTrustedConfig } from '../trust/load-trusted-config.ts'

const verbs = ['create', 'list', 'revoke', 'rotate'] as const

export const tokenCommand: Command = {
  name: 'token',
  usage: 'token create --subject NAME --grant GRANT [OPTIONS] | list | revoke ID | rotate',
  summary:
    'Create, list and revoke the API keys of a gateway. Takes effect immediately; no restart needed.\n' +
    'create prints the key once. rotate makes a new secret that signs logins and tickets; the previous one\n' +
    'stays valid until the next rotation.',
  options: {
    subject: {
      type: 'string',
      value: 'NAME',
      help: 'The holder of the key, who owns the sessions that it creates.',
    },
    grant: {
      type: 'string',
      value: 'GRANT',
      multiple: true,
      help: 'What the key allows, such as publish:own or subscribe:*; can be repeated.',
    },
    agent: { type: 'string', value: 'ID', help: 'The only agent whose events the key may publish.' },
    expires: {
      type: 'string',
      value: 'DURATION',
      help: 'When the key expires, such as 30d (default never).',
    },
    json: { type: 'boolean', help: 'Make list print one JSON object per key.' },
    keys: {
      type: 'string',
      value: 'FILE',
      help: 'The key file (default: the configured one, or keys.json in the data directory).',
    },
    ...dataOptions,
    config: {
      type: 'string',
      value: 'FILE',
      help: 'The configuration file (default sluice.config.json).',
    },
  },
  example: 'npx sluice token list',

  async run(args, io) {
    const [name, id, ...more] = args.positionals
    const verb = verbs.find((candidate) => candidate === name)
    if (verb === undefined) throw usage(describeVerbs(name))
    if ((id !== undefined) !== (verb === 'revoke') || more.length > 0)
      throw usage(verb === 'revoke' ? 'revoke needs one ID.' : `${verb} takes options only.`)
    const config = await findConfig(args, io, process.cwd())
    const path = keyFileOf(config) ?? ''
    if (verb === 'create') createKey(path, args, io)
    if (verb === 'list') await printKeys(path, args, io)
    if (verb === 'revoke') revoke(path, id ?? '')
    if (verb === 'rotate') rotateSecrets(config.data)
    if (verb === 'create' || verb === 'rotate') await tellOfOthers(config.data, io)
    return exitCode.clean
  },
}

/** Keys belong where the gateway looks for them, so this reads the same flags, variables and file. */
async function findConfig(
  args: CommandArgs,
  io: Io,
  cwd: string,
): Promise<Pick<GatewayConfig, 'auth'> & { readonly data: string }> {
  const flags = { 'auth-keys': stringValue(args, 'keys'), data: stringValue(args, 'data') }
  const config = await loadTrustedConfig(args, io, { cwd, flags })
  return { auth: config.auth, data: config.data ?? (await findUsualData(args, io, cwd)) }
}

function createKey(path: string, args: CommandArgs, io: Io): void {
  const subject = stringValue(args, 'subject')
  const grants = stringValues(args, 'grant')
  const agent = stringValue(args, 'agent')
  if (subject === undefined || subject === '') throw usage('create needs --subject NAME.')
  if (grants.length === 0) throw usage('create needs --grant, such as --grant publish:own.')
  const bad = grants.find((grant) => parseGrant(grant) === undefined)
  if (bad !== undefined) throw usage(`${toSafeLine(bad, 60)} is not a grant: a grant is ${grantForm}.`)
  const createdAt = io.clock.now()
  const lifeMs = readLife(args, createdAt)
  const { id, key } = addKey(path, {
    subject,
    grants,
    createdAt,
    ...omitUndefined({ agent, expiresAt: lifeMs === undefined ? undefined : createdAt + lifeMs }),
  })
  io.stdout.write(`${key}\n`)
  if (io.stderr.isTTY === true)
    io.stderr.write(`This key is not shown again. To revoke it: npx sluice token revoke ${id}\n`)
}

async function printKeys(path: string, args: CommandArgs, io: Io): Promise<void> {
  const keys = listKeys(path)
  const out = createOutput(io.stdout)
  if (args.values['json'] === true) for (const key of keys) out.write(`${JSON.stringify(key)}\n`)
  else if (keys.length === 0) out.write('There are no keys.\n')
  else {
    const rows = keys.map(({ id, subject, agent = '', expiresAt = 'never', grants }) => [
      ...[id, subject, agent, expiresAt],
      grants.join(' '),
    ])
    out.write(formatTable([['ID', 'SUBJECT', 'AGENT', 'EXPIRES', 'GRANTS'], ...rows]))
  }
  await out.flush()
}

function revoke(path: string, id: string): void {
  if (revokeKey(path, id)) return
  const near = nearestName(
    id,
    listKeys(path).map((key) => key.id),
  )
  throw new SluiceError('usage', {
    message: `There is no key with this id in ${path}. ${near === undefined ? 'See: sluice token list' : `Did you mean ${near}?`}`,
  })
}

function readLife(args: CommandArgs, now: number): number | undefined {
  const text = stringValue(args, 'expires')
  if (text === undefined) return undefined
  const ms = parseDuration(text)
  // The last moment that a Date can hold.
  if (ms === undefined || ms <= 0 || now + ms > 8.64e15)
    throw usage('--expires needs a duration such as 30d.')
  return ms
}

function describeVerbs(name: string | undefined): string {
  const near = name === undefined ? undefined : nearestName(name, verbs)
  return near === undefined ? `token needs one of ${verbs.join(', ')}.` : `Did you mean: sluice token ${near}`
}

function usage(message: string): SluiceError {
  return new SluiceError('usage', { message: `${message} See: sluice token --help` })
}
