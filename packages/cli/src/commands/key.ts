import {
  addSigningKey,
  listSigningKeys,
  removeSigningKey,
  rotateSigningKeys,
  type SigningKey,
  signingKeyFileOf,
  toJwks,
} from '@sluice/gateway/admin'
import { nearestName, omitUndefined, SluiceError } from '@sluice/protocol'
import type { Command, CommandArgs } from '../command.ts'
import { tellOfOthers } from '../data-directory.ts'
import { exitCode } from '../exit-code.ts'
import { dataOptions, findDataDirectory } from '../gateway-connection.ts'
import type { Io } from '../io.ts'
import { formatTable } from '../text-table.ts'

const verbs = ['create', 'list', 'rotate', 'remove', 'show-jwks'] as const

export const keyCommand: Command = {
  name: 'key',
  usage: 'key create | list | rotate | remove ID | show-jwks [OPTIONS]',
  summary:
    'Create, list and rotate the keys that sign the AAEP manifest of a gateway.\n' +
    'The first key signs immediately. A further key is published and signs after rotate, which creates it if needed.\n' +
    'The previous key stays published for 30 days. Takes effect immediately; no restart needed.',
  options: {
    json: { type: 'boolean', help: 'Make list print one JSON object per key.' },
    ...dataOptions,
  },
  example: 'npx sluice key list',

  async run(args, io) {
    const [name, id, ...more] = args.positionals
    const verb = verbs.find((candidate) => candidate === name)
    if (verb === undefined) throw usage(describeVerbs(name))
    if ((id !== undefined) !== (verb === 'remove') || more.length > 0)
      throw usage(verb === 'remove' ? 'remove needs one ID.' : `${verb} takes options only.`)
    const directory = await findDataDirectory(args, io, process.cwd())
    const path = signingKeyFileOf(directory)
    if (verb === 'create') io.stdout.write(`${addSigningKey(path, io.clock.now()).kid}\n`)
    if (verb === 'rotate') io.stdout.write(`${rotateSigningKeys(path, io.clock.now()).kid}\n`)
    if (verb === 'list') printKeys(listSigningKeys(path), args, io)
    if (verb === 'remove') remove(path, id ?? '')
    if (verb === 'show-jwks')
      io.stdout.write(`${JSON.stringify(toJwks(listSigningKeys(path), io.clock.now()), null, 2)}\n`)
    if (verb === 'create' || verb === 'rotate') await tellOfOthers(directory, io)
    return exitCode.clean
  },
}

function printKeys(keys: readonly SigningKey[], args: CommandArgs, io: Io): void {
  const shown = keys.map(({ kid, state, createdAt, retiredAt }) =>
    omitUndefined({
      kid,
      state,
      createdAt,
      retiredAt,
    }),
  )
  if (args.values['json'] === true) for (const key of shown) io.stdout.write(`${JSON.stringify(key)}\n`)
  else if (shown.length === 0) io.stdout.write('There are no keys; the manifest is not signed.\n')
  else
    io.stdout.write(
      formatTable([
        ['ID', 'STATE', 'CREATED', 'RETIRED'],
        ...shown.map(({ kid, state, createdAt, retiredAt = '' }) => [kid, state, createdAt, retiredAt]),
      ]),
    )
}

function remove(path: string, id: string): void {
  if (removeSigningKey(path, id)) return
  const near = nearestName(
    id,
    listSigningKeys(path).map(({ kid }) => kid),
  )
  throw new SluiceError('usage', {
    message: `There is no key with this id in ${path}. ${near === undefined ? 'See: sluice key list' : `Did you mean ${near}?`}`,
  })
}

function describeVerbs(name: string | undefined): string {
  const near = name === undefined ? undefined : nearestName(name, verbs)
  return near === undefined ? `key needs one of ${verbs.join(', ')}.` : `Did you mean: sluice key ${near}`
}

function usage(message: string): SluiceError {
  return new SluiceError('usage', { message: `${message} See: sluice key --help` })
}
