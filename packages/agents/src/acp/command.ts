import type { InitializeRequest } from '@agentclientprotocol/sdk'
import type { CliCommand } from '../cli/cli-agent.ts'
import { encodeRequest } from './rpc.ts'
import { firstId } from './state.ts'

/** The version of the Agent Client Protocol that Sluice speaks: the only stable one. */
export const protocolVersion = 1

/** How an agent is started. The prompt follows once there is a session. */
export function toCommand(args: readonly string[]): CliCommand {
  return { args, stdin: `${encodeInitialize()}\n`, keepsStdin: true }
}

/** The first line to the agent. Offers it no files and no terminals: it uses its own. */
export function encodeInitialize(): string {
  const params: InitializeRequest = {
    protocolVersion,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'sluice', version: '0.1.0' },
  }
  return encodeRequest(firstId, 'initialize', params)
}
