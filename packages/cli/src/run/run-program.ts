import { randomBytes } from 'node:crypto'
import { createCommandAgent } from '@sluice/agents'
import { type Client, createClient } from '@sluice/client'
import { omitUndefined, type Run, SluiceError } from '@sluice/protocol'
import { toAgentEnvironment } from '../agents/usual-environment.ts'
import { type CommandArgs, stringValue } from '../command.ts'
import { readDialect } from '../commands/dialect-option.ts'
import { askGateway, toClientOptions, toFlags } from '../gateway-connection.ts'
import type { Io } from '../io.ts'
import { say } from '../say.ts'
import { findOrStart } from './find-or-start.ts'
import { exitCodeOf, followRun } from './follow-run.ts'
import { publishRun, type RunFinding } from './publish-run.ts'
import { readPrompt, readRequest, readShow } from './read-options.ts'

/** Runs a program on this machine, publishes its output to a session, and follows that session. */
export async function runProgram(command: readonly string[], args: CommandArgs, io: Io): Promise<number> {
  const [program, ...rest] = command
  const dialect = readDialect(stringValue(args, 'dialect') ?? 'auto')
  if (program === undefined || dialect === undefined || args.positionals.length > command.length)
    throw new SluiceError('usage', {
      message: 'Usage: sluice run --dialect DIALECT -- PROGRAM [ARGS]. See: sluice run --help',
    })
  const cwd = process.cwd()
  const { workingDir, timeoutMs, env = {}, labels, context } = readRequest(args, cwd)
  const given = stringValue(args, 'prompt')
  const prompt = given === undefined ? undefined : await readPrompt(given, io)
  const agent = createCommandAgent({
    kind: 'command',
    command: [program, ...rest],
    dialect,
    prompt: prompt === undefined ? 'none' : 'stdin',
    defaults: {
      cwd: workingDir ?? cwd,
      env: { ...toAgentEnvironment({ type: 'command', passEnv: Object.keys(io.env) }, io.env), ...env },
    },
  })
  const place = await findOrStart(args, io, cwd)
  try {
    const client = createClient(toClientOptions(place))
    const request = omitUndefined({ prompt: prompt ?? command.join(' '), timeoutMs })
    const run = agent.run(request, { clock: io.clock })
    const producer = `run-${randomBytes(9).toString('base64url')}`
    const made = client.sessions.create({
      // Nobody else may ask the person at this terminal or speak for the program. This needs a credential.
      ...omitUndefined({ exclusive: place.token === undefined ? undefined : true, labels, context }),
    })
    const { id: session } = await askGateway(place, made)
    const stopped = new AbortController()
    const published = publishRun(run, { client, session, producer }, createComplaints(io))
    const listening = heed(client.inputs(session, { signal: stopped.signal }), run, stopped.signal)
    const kill = (): void => process.exit(130)
    const show = readShow(args, io, 'to')
    const followed = followRun({
      ...{ client, session, io, show, kill },
      url: place.url,
      flags: toFlags(args, io),
    })
    try {
      await published
      return exitCodeOf(await followed)
    } finally {
      stopped.abort()
      await listening
    }
  } finally {
    await place.close()
  }
}

/** Reports every refusal, but only the first finding per code: programs repeat a mistake in every line. */
function createComplaints(io: Io): (finding: RunFinding) => void {
  const told = new Set<string>()
  return ({ line, code, path, message, isStored }) => {
    if (!isStored) say(io, `Output ${line} was refused: ${code}. ${message}`)
    else if (!told.has(code)) say(io, `Output ${line}: ${code} ${path === '' ? '/' : path} ${message}`)
    if (isStored) told.add(code)
  }
}

/** Forwards people's inputs to the program. */
async function heed(inputs: ReturnType<Client['inputs']>, run: Run, signal: AbortSignal): Promise<void> {
  try {
    for await (const item of inputs) {
      if (item.type !== 'frame') continue
      const input = item.frame
      if (input.type === 'cancel') run.cancel()
      else if (input.type === 'answer') run.answer(input)
      else for (const part of input.parts) if (part.type === 'text') run.message(part.text)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
