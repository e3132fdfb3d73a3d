import type { Command } from './command.ts'

/** The help of one command. */
export function formatCommandHelp(command: Command): string {
  const rows = Object.entries(command.options).map(([name, option]): readonly [string, string] => {
    const value = option.type === 'string' ? ` ${option.value ?? 'VALUE'}` : ''
    return [`--${name}${value}`, option.help]
  })
  return [
    `Usage: sluice ${command.usage}`,
    '',
    command.summary,
    '',
    'Options:',
    formatRows([...rows, ['-h, --help', 'Show this help.']]),
    '',
    'Example:',
    `  ${command.example}`,
    '',
  ].join('\n')
}

/** The help of the whole program. */
export function formatHelp(commands: readonly Command[]): string {
  const rows = commands.map((command) => [command.name, command.summary.split('\n')[0] ?? ''] as const)
  return [
    'Usage: sluice COMMAND [OPTIONS]',
    '',
    'Sluice reads the event streams of AI agents in any dialect (event format), checks and stores them, and writes them in any other.',
    '',
    'Commands:',
    formatRows(rows),
    '',
    'Exit codes: 0 success, 1 findings, 2 wrong usage, 3 not allowed, 4 refused, 5 unreachable, 6 folder not trusted.',
    '',
    'Example:',
    '  npx sluice convert --from auto --to a2a examples/recording.aaep.ndjson',
    '',
    'For details: sluice COMMAND --help',
    '',
  ].join('\n')
}

/** Two columns, the first as wide as its widest cell. */
function formatRows(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}
