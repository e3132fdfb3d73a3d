import { readFile } from 'node:fs/promises'
import {
  type Agent,
  addDirsKey,
  type Dialect,
  omitUndefined,
  parseAddDirs,
  type RunRequest,
  SluiceError,
} from '@sluice/protocol'
import { type CliTimings, usualTimings } from '../cli/timings.ts'
import { runCapabilities } from '../request/capabilities.ts'
import type { Ceiling } from '../request/ceiling.ts'
import { checkRequest } from '../request/check-request.ts'
import type { RunDefaults } from '../request/checked-request.ts'
import { type RequestPolicy, usualPolicy } from '../request/request-policy.ts'
import { createRun } from '../run/create-run.ts'
import { driveRemote } from './drive-remote.ts'
import type { RemoteFetch, RemoteStream } from './remote-fetch.ts'

export interface RemoteAgentConfig extends Pick<Ceiling, 'requestsMayRaisePermissions'> {
  /** Letters, digits and underscores. */
  readonly kind: string
  readonly url: string
  /** The dialect of its stream. */
  readonly dialect: Dialect
  readonly fetch: RemoteFetch
  /** Sent along with each request. */
  readonly headers?: Readonly<Record<string, string>>
  /** A file with its bearer token, read for each run. */
  readonly tokenFile?: string
  /** The extensions that it accepts; they are sent along with the prompt. */
  readonly extensions?: readonly string[]
  readonly defaults: Pick<RunDefaults, 'timeoutMs'>
  readonly timings?: Pick<CliTimings, 'idleMs'>
}

/**
 * Creates an agent from an HTTP endpoint. Posts the request as `{ prompt, extensions? }`; the response is a
 * stream of frames as SSE or NDJSON. A run completes when a frame says so, or, in a dialect without such a
 * frame, at the end of the stream.
 */
export function createRemoteAgent(config: RemoteAgentConfig): Agent {
  const { kind, url, dialect, extensions = [] } = config
  const timings = { ...usualTimings, ...config.timings }
  const rules = { kind, extensions, policy: remotePolicy }
  const { requestsMayRaisePermissions = false } = config
  const ceiling: Ceiling = { permissions: 'deny', requestsMayRaisePermissions }
  const defaults = { ...config.defaults, cwd: '.', env: {}, ceiling }

  const open = async (asked: RunRequest, signal: AbortSignal): Promise<RemoteStream> => {
    const headers = {
      ...lowerNames(config.headers ?? {}),
      ...omitUndefined({
        authorization:
          config.tokenFile === undefined ? undefined : `Bearer ${await readToken(config.tokenFile)}`,
      }),
      'content-type': 'application/json',
      accept: 'text/event-stream, application/x-ndjson',
    }
    const post = JSON.stringify({ prompt: asked.prompt, extensions: asked.extensions })
    return config.fetch(url, { post, headers, timeoutMs: timings.idleMs }, signal)
  }

  return {
    kind,
    capabilities: [...runCapabilities, ...extensions].sort(),
    look: async () => ({ isInstalled: true, ...(URL.canParse(url) ? { path: new URL(url).origin } : {}) }),
    check: (asked) => void checkRequest(asked, rules, defaults),
    run(asked, host) {
      const { timeoutMs } = checkRequest(asked, rules, defaults)
      const drive = { kind, dialect, timeoutMs, timings, host }
      return createRun((sink) => driveRemote({ ...drive, open: (signal) => open(asked, signal) }, sink))
    },
  }
}

/**
 * The usual policy, except that the directories are on another machine: they are not looked up on this one.
 */
const remotePolicy: RequestPolicy = (input) => {
  const { [addDirsKey]: dirs, ...extensions } = input.extensions
  if (dirs !== undefined) parseAddDirs(dirs)
  return usualPolicy({ ...input, extensions })
}

async function readToken(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (cause) {
    throw new SluiceError('bad_config', { message: 'The file with the credential cannot be read.', cause })
  }
}

/** Header names are case-insensitive. In lower case, ours replace those of the configuration. */
function lowerNames(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
