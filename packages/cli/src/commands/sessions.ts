import { createClient, type SessionResource } from '@sluice/client'
import { omitUndefined, SluiceError } from '@sluice/protocol'
import { type Command, type CommandArgs, stringValue } from '../command.ts'
import { exitCode } from '../exit-code.ts'
import { askGateway, connectionOptions, findGateway, toClientOptions } from '../gateway-connection.ts'
import { createOutput } from '../output.ts'
import { toSafeLine } from '../safe-text.ts'
import { formatTable } from '../text-table.ts'
import { wrapLines } from '../wrap-text.ts'

const states = ['open', 'waiting', 'ended'] as const
const maxPageSize = 200

export const sessionsCommand: Command = {
  name: 'sessions',
  usage: 'sessions [--state STATE] [--limit N] [--json] [OPTIONS]',
  summary: 'List the sessions of a gateway, newest first.',
  options: {
    state: { type: 'string', value: states.join('|'), choices: states, help: 'Only sessions in this state.' },
    limit: { type: 'string', value: 'N', help: 'The maximum number of sessions (default 50).' },
    json: { type: 'boolean', help: 'Print one JSON object per session.' },
    ...connectionOptions,
  },
  example: 'npx sluice sessions --state waiting',

  async run(args, io) {
    if (args.positionals.length > 0)
      throw new SluiceError('usage', { message: 'sessions takes options only. See: sluice sessions --help' })
    const limit = readLimit(args)
    const connection = await findGateway(args, io, process.cwd())
    const client = createClient(toClientOptions(connection))
    const state = states.find((candidate) => candidate === stringValue(args, 'state'))
    const sessions = await askGateway(connection, listSessions(client, state, limit))
    const out = createOutput(io.stdout)
    if (args.values['json'] === true)
      for (const session of sessions) out.write(`${JSON.stringify(session)}\n`)
    else out.write(wrapLines(formatSessions(sessions, io.clock.now()), io.stdout))
    await out.flush()
    return exitCode.clean
  },
}

async function listSessions(
  client: ReturnType<typeof createClient>,
  state: SessionResource['state'] | undefined,
  limit: number,
): Promise<readonly SessionResource[]> {
  const found: SessionResource[] = []
  let page: string | undefined
  do {
    const answer = await client.sessions.list({
      limit: Math.min(maxPageSize, limit - found.length),
      ...omitUndefined({ state, page }),
    })
    found.push(...answer.sessions)
    page = answer.next
  } while (page !== undefined && found.length < limit)
  return found.slice(0, limit)
}

function formatSessions(sessions: readonly SessionResource[], now: number): string {
  if (sessions.length === 0) return 'There are no sessions.\n'
  const rows = sessions.map(({ id, state, outcome, status, questions, seq, updatedAt, title, agent }) => [
    id,
    outcome ?? (questions > 0 ? `${state} (${questions})` : state),
    outcome === undefined ? toSafeLine(status, 24) : '',
    String(seq + 1),
    formatAge(now - updatedAt),
    toSafeLine(title ?? agent?.name ?? agent?.id ?? '', 60),
  ])
  return formatTable([['SESSION', 'STATE', 'STATUS', 'ENTRIES', 'CHANGED', 'REQUEST'], ...rows])
}

/** Such as `5 min ago`. */
function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h ago` : `${Math.round(seconds / 86_400)} d ago`
}

function readLimit(args: CommandArgs): number {
  const text = stringValue(args, 'limit') ?? '50'
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (limit > 0) return limit
  throw new SluiceError('usage', { message: '--limit needs a whole number from 1 to 999999.' })
}
