import type { InitializeRequest } from '@agentclientprotocol/sdk'
import type { CliCommand } from '../cli/cli-agent.ts'
import { encodeRequest } from './rpc.ts'
import { firstId } from './state.ts'

/** The version of the Agent Client Protocol that is spoken: its only stable one. */
export const protocolVersion = 1

/** How an agent is begun. The prompt comes later, when it has a session. */
export function toCommand(args: readonly string[]): CliCommand {
  return { args, stdin: `${encodeInitialize()}\n`, keepsStdin: true }
}

/** The first line for an agent. Files and terminals are its own business: none are offered. */
export function encodeInitialize(): string {
  const params: InitializeRequest = {
    protocolVersion,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'sluice', version: '0.1.0' },
  }
  return encodeRequest(firstId, 'initialize', params)
}
