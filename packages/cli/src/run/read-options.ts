import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import type { StartRun } from '@sluice/client'
import { parseDuration } from '@sluice/gateway/admin'
import { type JsonObject, omitUndefined, SluiceError } from '@sluice/protocol'
import { type CommandArgs, stringValue, stringValues } from '../command.ts'
import { readDialect } from '../commands/dialect-option.ts'
import type { Show } from '../follow-session.ts'
import type { Io } from '../io.ts'

/** The agent and its prompt. */
export async function readTask(
  { positionals }: CommandArgs,
  io: Io,
): Promise<{ readonly agent: string; readonly prompt: string }> {
  const [agent, prompt, ...more] = positionals
  if (agent === undefined || prompt === undefined || more.length > 0)
    throw new SluiceError('usage', {
      message: 'Usage: sluice run AGENT PROMPT, the prompt in quotes or - to read it. See: sluice run --help',
    })
  return { agent, prompt: await readPrompt(prompt, io) }
}

/** A prompt, or the contents of standard input for `-`. */
export function readPrompt(prompt: string, io: Io): Promise<string> | string {
  return prompt === '-' ? readAll(io.stdin) : prompt
}

/** The request for a run, without its prompt. */
export function readRequest(args: CommandArgs, cwd: string): Omit<StartRun, 'prompt'> {
  const directory = stringValue(args, 'cwd')
  const timeout = stringValue(args, 'timeout')
  const context = stringValue(args, 'context')
  const env = readPairs(args, 'env', '=')
  const labels = readPairs(args, 'label', ':')
  const extensions = readExtensions(args, cwd)
  return {
    ...omitUndefined({
      workingDir: directory === undefined ? undefined : resolve(cwd, directory),
      timeoutMs: timeout === undefined ? undefined : readTimeout(timeout),
      context,
      env,
      labels,
    }),
    ...(Object.keys(extensions).length === 0 ? {} : { extensions }),
  }
}

function readExtensions(args: CommandArgs, cwd: string): JsonObject {
  const model = stringValue(args, 'model')
  const resume = stringValue(args, 'resume')
  const dirs = stringValues(args, 'add-dir').map((path) => resolve(cwd, path))
  const selector = resume === 'last' ? { selector: 'last' } : { selector: 'id', id: resume }
  return {
    ...omitUndefined({
      'agent_api.config.model.v1': model,
      'agent_api.session.resume.v1': resume === undefined ? undefined : selector,
    }),
    ...(dirs.length === 0 ? {} : { 'agent_api.exec.add_dirs.v1': { dirs } }),
  }
}

function readTimeout(text: string): number {
  const ms = text === '0' ? 0 : parseDuration(text)
  if (ms !== undefined) return ms
  throw new SluiceError('usage', { message: '--timeout needs a span such as 90s or 10m, or 0 for no limit.' })
}

function readPairs(
  args: CommandArgs,
  option: string,
  divider: string,
): Readonly<Record<string, string>> | undefined {
  const given = stringValues(args, option)
  if (given.length === 0) return undefined
  return Object.fromEntries(
    given.map((pair) => {
      const place = pair.indexOf(divider)
      if (place > 0) return [pair.slice(0, place), pair.slice(place + 1)]
      throw new SluiceError('usage', { message: `--${option} needs NAME${divider}VALUE.` })
    }),
  )
}

/** What to print: a text for people, or the frames of the dialect that the option of this name selects. */
export function readShow(args: CommandArgs, io: Io, option: 'dialect' | 'to'): Show {
  const named = stringValue(args, option)
  const usual = named === undefined && io.stdout.isTTY ? 'text' : 'ndjson'
  const as = stringValue(args, 'output') ?? usual
  if (as === 'text') return { as: 'text' }
  const dialect = named === undefined ? undefined : readDialect(named)?.id
  return dialect === undefined ? { as: 'ndjson' } : { as: 'ndjson', dialect }
}
