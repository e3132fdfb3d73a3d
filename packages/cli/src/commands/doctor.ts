import { access, constants, mkdir } from 'node:fs/promises'
import type { GatewayConfig } from '@sluice/gateway/admin'
import { SluiceError } from '@sluice/protocol'
import { type Command, type CommandArgs, stringValue } from '../command.ts'
import { othersMay } from '../data-directory.ts'
import { exitCode } from '../exit-code.ts'
import { dataOptions, findOwnGateway, findUsualData } from '../gateway-connection.ts'
import type { Io } from '../io.ts'
import { findSpeech } from '../listen/speech/find-speech.ts'
import { toSafeLine } from '../safe-text.ts'
import { formatTable } from '../text-table.ts'
import { loadTrustedConfig, namedConfig } from '../trust/load-trusted-config.ts'

/** Something that Sluice needs or can use: present, missing, or wrong. */
interface Finding {
  readonly state: 'ok' | 'missing' | 'wrong'
  readonly subject: string
  readonly says: string
}

export const doctorCommand: Command = {
  name: 'doctor',
  usage: 'doctor [--config FILE] [--data DIR] [--trust] [--json]',
  summary:
    'Check Node, configuration, data, gateway, agents and speech, and say how to get what is missing.\n' +
    'The exit code is 1 if something is wrong. A missing agent is not an error.',
  options: {
    config: { type: 'string', value: 'FILE', help: 'The configuration file (default sluice.config.json).' },
    json: { type: 'boolean', help: 'Print one JSON object per line.' },
    ...dataOptions,
  },
  example: 'npx sluice doctor',

  async run(args, io) {
    if (args.positionals.length > 0)
      throw new SluiceError('usage', { message: 'doctor takes options only. See: sluice doctor --help' })
    const findings = await examine(args, io)
    if (args.values['json'] === true)
      for (const finding of findings) io.stdout.write(`${JSON.stringify(finding)}\n`)
    else io.stdout.write(formatTable(findings.map(({ state, subject, says }) => [state, subject, says])))
    return findings.some(({ state }) => state === 'wrong') ? exitCode.findings : exitCode.clean
  },
}

async function examine(args: CommandArgs, io: Io): Promise<readonly Finding[]> {
  const cwd = process.cwd()
  const node: Finding = { state: 'ok', subject: 'Node', says: process.versions.node }
  try {
    const config = await loadTrustedConfig(args, io, { cwd, flags: { data: stringValue(args, 'data') } })
    const directory = config.data ?? (await findUsualData(args, io, cwd))
    return [
      node,
      { state: 'ok', subject: 'configuration', says: namedConfig(args, io) ?? 'sluice.config.json, or none' },
      await examineData(directory),
      await examineGateway(directory, io),
      ...(await examineAgents(config.agents, io, cwd)),
      examineSpeech(io),
    ]
  } catch (error) {
    if (!(error instanceof SluiceError && error.code === 'bad_config')) throw error
    return [node, { state: 'wrong', subject: 'configuration', says: error.message }, examineSpeech(io)]
  }
}

async function examineData(directory: string): Promise<Finding> {
  const subject = 'data directory'
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await access(directory, constants.R_OK | constants.W_OK)
    const others = await othersMay(directory)
    return others === undefined
      ? { state: 'ok', subject, says: directory }
      : { state: 'wrong', subject, says: others }
  } catch {
    return {
      state: 'wrong',
      subject,
      says: `${directory} is not writable. Choose another with --data DIR.`,
    }
  }
}

async function examineGateway(directory: string, io: Io): Promise<Finding> {
  const found = await findOwnGateway(directory, io)
  return found === undefined
    ? {
        state: 'missing',
        subject: 'gateway',
        says: 'No gateway runs on this data directory. Start one with: npx sluice serve',
      }
    : { state: 'ok', subject: 'gateway', says: `${found.url}, process ${found.pid}` }
}

async function examineAgents(
  configured: GatewayConfig['agents'],
  io: Io,
  cwd: string,
): Promise<readonly Finding[]> {
  const { hostAgents } = await import('../agents/host-agents.ts')
  return Promise.all(
    [...hostAgents(configured, io.env, cwd)].map(async ([name, { agent, title }]): Promise<Finding> => {
      const { isInstalled, version, path, hint } = await agent.look()
      const subject = `agent ${name}`
      if (!isInstalled)
        return { state: 'missing', subject, says: `${toSafeLine(title)}: ${hint ?? 'not found'}` }
      const place = [version, path].filter((part) => part !== undefined).join(', ')
      return {
        state: 'ok',
        subject,
        says: place === '' ? toSafeLine(title) : `${toSafeLine(title)} ${place}`,
      }
    }),
  )
}

function examineSpeech(io: Io): Finding {
  const subject = 'speech'
  try {
    return { state: 'ok', subject, says: findSpeech(io.env).path }
  } catch {
    return {
      state: 'missing',
      subject,
      says: 'For listen --speak: apt install espeak-ng, or brew install espeak-ng',
    }
  }
}
