import { type Dialect, eventKinds, type Support } from '@sluice/protocol'
import { dialects } from '@sluice/protocol/dialects'
import type { Command } from '../command.ts'
import { exitCode } from '../exit-code.ts'

export const dialectsCommand: Command = {
  name: 'dialects',
  usage: 'dialects [--json]',
  summary: 'List the dialects and what each of them can express.',
  options: { json: { type: 'boolean', help: 'Print the same as one JSON object.' } },
  example: 'npx sluice dialects',

  async run(args, io) {
    if (args.values['json'] === true) {
      const table = Object.fromEntries(
        dialects.map(({ id, title, supports }) => [id, { title, ...supports }]),
      )
      io.stdout.write(`${JSON.stringify(table, null, 2)}\n`)
      return exitCode.clean
    }
    const titles = dialects.map(({ id, title }) => `  ${id.padEnd(14)}${title}`)
    io.stdout.write(
      `${titles.join('\n')}\n\n${formatMatrix()}\nfull: in its own fields; part: some of it; carried: in an extension that Sluice reads back; -: nothing\n`,
    )
    return exitCode.clean
  },
}

/** The support matrix as text, one row per kind. */
function formatMatrix(): string {
  const rows: (readonly [string, (dialect: Dialect) => string])[] = [
    ...eventKinds.map((kind) => [kind, (dialect: Dialect) => mark(dialect.supports.kinds[kind])] as const),
    ['session ids', (dialect) => yesNo(dialect.supports.sessionIds)],
    ['event ids', (dialect) => yesNo(dialect.supports.eventIds)],
    ['times', (dialect) => yesNo(dialect.supports.timestamps)],
    ['own end', (dialect) => yesNo(dialect.supports.terminal)],
    ['request text', (dialect) => yesNo(dialect.supports.payloads.request)],
    ['tool arguments', (dialect) => yesNo(dialect.supports.payloads.toolArgs)],
    ['tool results', (dialect) => yesNo(dialect.supports.payloads.toolResults)],
  ]
  const header = ['', ...dialects.map((dialect) => dialect.id)]
  const table = [header, ...rows.map(([name, cell]) => [name, ...dialects.map(cell)])]
  const widths = header.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  return table
    .map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
    .join('\n')
}

function mark(support: Support): string {
  return support === 'none' ? '-' : support
}

function yesNo(value: boolean): string {
  return value ? 'yes' : '-'
}
