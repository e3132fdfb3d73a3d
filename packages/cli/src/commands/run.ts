import { createClient } from '@sluice/client'
import type { Command } from '../command.ts'
import { askGateway, connectionOptions, toClientOptions, toFlags } from '../gateway-connection.ts'
import { exitCodeOf, followRun } from '../run/follow-run.ts'
import { readRequest, readShow, readTask } from '../run/read-options.ts'
import { toSafeLine } from '../safe-text.ts'

export const runCommand: Command = {
  name: 'run',
  usage: 'run AGENT PROMPT|- [OPTIONS]  or  run --dialect DIALECT [OPTIONS] -- PROGRAM [ARGS]',
  summary:
    'Run an agent and follow it: its answer, its tools, and its questions, which you answer at the keyboard.\n' +
    'It runs in the gateway of the data directory, or else in a temporary gateway. sluice agents lists the agents.\n' +
    'After --, name any program that prints a dialect; it runs here, and its events go to the gateway.\n' +
    'Ctrl-C cancels, a second one kills. The exit code is 0 if the run completed, 1 if it failed, 130 if it was cancelled.',
  options: {
    dialect: {
      type: 'string',
      value: 'DIALECT',
      help: 'Print frames of this dialect, one per line (in a pipe, sluice by default). With --: the dialect of the program.',
    },
    output: {
      type: 'string',
      value: 'text|ndjson',
      choices: ['text', 'ndjson'],
      help: 'The output format; by default text on a terminal, else ndjson.',
    },
    model: { type: 'string', value: 'MODEL', help: 'The model that the agent uses.' },
    cwd: { type: 'string', value: 'DIR', help: 'The working directory (default: here).' },
    'add-dir': { type: 'string', value: 'DIR', multiple: true, help: 'Another directory that it may use.' },
    resume: { type: 'string', value: 'ID|last', help: "Continue one of the agent's own sessions." },
    context: { type: 'string', value: 'CONTEXT', help: 'Continue the conversation of an earlier run.' },
    timeout: {
      type: 'string',
      value: 'SPAN',
      help: 'The maximum duration, such as 10m; 0 for no limit.',
    },
    env: {
      type: 'string',
      value: 'NAME=VALUE',
      multiple: true,
      help: 'A variable for the agent, if allowed.',
    },
    label: { type: 'string', value: 'NAME:VALUE', multiple: true, help: 'A label of the session.' },
    config: {
      type: 'string',
      value: 'FILE',
      help: 'The configuration of the temporary gateway (default sluice.config.json).',
    },
    prompt: {
      type: 'string',
      value: 'TEXT|-',
      help: 'With --: the standard input of the program.',
    },
    ...connectionOptions,
  },
  example: 'npx sluice run demo "Plan a weekend in Évora, fast"',

  async run(args, io) {
    if (args.behind !== undefined) {
      const { runProgram } = await import('../run/run-program.ts')
      return runProgram(args.behind, args, io)
    }
    const { agent, prompt } = await readTask(args, io)
    // Imported here because it may load a whole gateway.
    const { findOrStart } = await import('../run/find-or-start.ts')
    const place = await findOrStart(args, io, process.cwd())
    try {
      const client = createClient(toClientOptions(place))
      const request = { prompt, ...readRequest(args, process.cwd()) }
      const { workingDirs } = await askGateway(place, client.agents.get(agent))
      // By default the agent works in the current directory, if it uses directories at all.
      const isHere = request.workingDir === undefined && place.isLocal && workingDirs !== undefined
      const asked = isHere ? { ...request, workingDir: process.cwd() } : request
      const session = await askGateway(place, client.agents.run(agent, asked))
      if (io.stderr.isTTY)
        io.stderr.write(`${toSafeLine(`${session.id}, context ${session.context ?? 'none'}`)}\n`)
      const outcome = await followRun({
        ...{ client, io, session: session.id, url: place.url, kill: place.kill },
        show: readShow(args, io, 'dialect'),
        flags: toFlags(args, io),
      })
      return exitCodeOf(outcome)
    } finally {
      await place.close()
    }
  },
}
