import { resolve } from 'node:path'
import { backupLog, compactLog, type LogLoss, repairLog, restoreLog, statLog, verifyLog } from '@sluice/log'
import { nearestName, SluiceError } from '@sluice/protocol'
import type { Command, CommandArgs } from '../command.ts'
import { tellOfOthers } from '../data-directory.ts'
import { exitCode } from '../exit-code.ts'
import { exportLines } from '../export-lines.ts'
import { dataOptions, findDataDirectory } from '../gateway-connection.ts'
import type { Io } from '../io.ts'
import { formatLoss, toLoss } from '../loss-text.ts'
import { createOutput } from '../output.ts'
import { say } from '../say.ts'
import { formatTable } from '../text-table.ts'

/** The data and the words after the verb. */
interface Place {
  readonly directory: string
  readonly words: readonly string[]
}

interface Verb {
  /** How many words may follow it. */
  readonly words: readonly [least: number, most: number]
  run(place: Place, args: CommandArgs, io: Io): Promise<number>
}

const verbs: Readonly<Record<string, Verb>> = {
  stat: { words: [0, 0], run: showStat },
  verify: { words: [0, 0], run: verify },
  repair: { words: [0, 0], run: repair },
  compact: { words: [0, 0], run: compact },
  backup: { words: [1, 1], run: backup },
  restore: { words: [1, 1], run: restore },
  export: { words: [0, Number.POSITIVE_INFINITY], run: exportSessions },
}

export const logCommand: Command = {
  name: 'log',
  usage: 'log stat | verify | repair | compact | backup DIR | restore DIR | export [SESSION…] [OPTIONS]',
  summary:
    'Maintain the data of a gateway: count it, check it, repair it, copy it, export it, free disk space.\n' +
    'All except repair, compact and restore also work while a gateway uses it.',
  options: {
    ...dataOptions,
    json: { type: 'boolean', help: 'stat, verify and repair print JSON.' },
  },
  example: 'npx sluice log stat',

  async run(args, io) {
    const [name = '', ...words] = args.positionals
    const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined
    if (verb === undefined || words.length < verb.words[0] || words.length > verb.words[1])
      throw new SluiceError('usage', { message: describeUsage(name) })
    return verb.run({ directory: await findDataDirectory(args, io, process.cwd()), words }, args, io)
  },
}

async function showStat({ directory }: Place, args: CommandArgs, io: Io): Promise<number> {
  const stat = await statLog(directory)
  const { sessions, endedSessions, records, bytes, diskBytes } = stat
  const table = formatTable([
    ['data', directory],
    ['sessions', `${sessions}, ${endedSessions} of them ended`],
    ['entries', `${records}, ${formatSize(bytes)}`],
    ['on disk', formatSize(diskBytes)],
  ])
  io.stdout.write(args.values['json'] === true ? `${JSON.stringify({ data: directory, ...stat })}\n` : table)
  return exitCode.clean
}

async function verify({ directory }: Place, args: CommandArgs, io: Io): Promise<number> {
  const out = createOutput(io.stdout)
  const { sessions, records, problems } = await verifyLog(directory, (problem) => {
    const text = args.values['json'] === true ? JSON.stringify(problem) : formatLoss(toLoss(problem))
    out.write(`${text}\n`)
  })
  await out.flush()
  if (io.stderr.isTTY === true)
    io.stderr.write(
      `${sessions} sessions, ${records} entries, ${problems === 0 ? 'no' : problems} problems\n`,
    )
  return problems > 0 ? exitCode.findings : exitCode.clean
}

async function repair({ directory }: Place, args: CommandArgs, io: Io): Promise<number> {
  const out = createOutput(io.stdout)
  let losses = 0
  const { kept } = await repairLog(directory, (loss) => {
    losses += 1
    out.write(`${args.values['json'] === true ? JSON.stringify(loss) : formatLoss(loss)}\n`)
  })
  await out.flush()
  if (kept === undefined) say(io, 'The log is not damaged. Nothing was changed.')
  else say(io, `The log is repaired. The files as they were are in ${kept}.`)
  return losses > 0 ? exitCode.findings : exitCode.clean
}

async function compact({ directory }: Place, _: CommandArgs, io: Io): Promise<number> {
  const { bytesBefore, bytesAfter } = await compactLog(directory)
  io.stdout.write(`${formatSize(bytesBefore)} before, ${formatSize(bytesAfter)} after\n`)
  return exitCode.clean
}

async function backup({ directory, words }: Place, _: CommandArgs, io: Io): Promise<number> {
  const [target = ''] = words
  await backupLog(directory, resolve(target))
  await tellOfOthers(resolve(target), io)
  return exitCode.clean
}

async function restore({ directory, words }: Place, _: CommandArgs, io: Io): Promise<number> {
  const [source = ''] = words
  await restoreLog(resolve(source), directory)
  await tellOfOthers(directory, io)
  return exitCode.clean
}

async function exportSessions(
  { directory, words: sessions }: Place,
  _: CommandArgs,
  io: Io,
): Promise<number> {
  const out = createOutput(io.stdout)
  let losses = 0
  const onLoss = (loss: LogLoss) => {
    losses += 1
    io.stderr.write(`${formatLoss(loss)}\n`)
  }
  for await (const line of exportLines(directory, { sessions, onLoss })) {
    out.write(line)
    await out.flush()
  }
  return losses > 0 ? exitCode.findings : exitCode.clean
}

function describeUsage(name: string): string {
  const near = nearestName(name, Object.keys(verbs))
  const hint =
    near === undefined || near === name ? 'See: sluice log --help' : `Did you mean: sluice log ${near}`
  return `Usage: sluice ${logCommand.usage}. ${hint}`
}

const sizeUnits = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** Such as `12.3 MiB`. */
function formatSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(sizeUnits.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${power === 0 ? bytes : (bytes / 2 ** (10 * power)).toFixed(1)} ${sizeUnits[power]}`
}
