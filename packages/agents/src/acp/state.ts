import type { JsonObject } from '@sluice/protocol'
import type { CliOptions } from '../cli/cli-agent.ts'
import type { CheckedRequest } from '../request/checked-request.ts'
import { noText, type TextState } from './map-text.ts'
import { type Calls, noCalls } from './map-tool.ts'
import type { Abilities } from './native.ts'
import type { OpenPermission } from './permission.ts'

/** How texts refer to an agent. */
export interface Names {
  /** Display name. Default: the name that the agent reports. */
  readonly title: string | undefined
  /** Begins its failure messages. */
  readonly label: string
}

/** The last request to the agent. Only one is pending at a time, so its number identifies it. */
export type Asked = 'initialize' | 'login' | 'list' | 'open' | 'model' | 'prompt'

/** A conversation with an agent. */
export interface AcpState {
  readonly names: Names
  readonly request: CheckedRequest
  readonly options: CliOptions
  /** Undefined once the turn has ended or cannot start. */
  readonly asked: Asked | undefined
  /** The number of that request, its JSON-RPC id. */
  readonly id: number
  readonly abilities: Abilities
  /** Known once the agent has created it, or the request names it. */
  readonly session: string | undefined
  readonly model: string | undefined
  readonly hasLoggedIn: boolean
  /** The session was resumed together with its history. */
  readonly isLoaded: boolean
  /** Updates since the history turned out to be still arriving. They may be part of it. */
  readonly held: readonly JsonObject[] | undefined
  /** Refused calls. Some agents never report their end. */
  readonly refused: readonly string[]
  /** The turn ended with an error. */
  readonly isBroken: boolean
  readonly text: TextState
  readonly calls: Calls
  readonly permissions: readonly OpenPermission[]
  readonly permissionCount: number
  /** The cost of the session so far, as the agent last reported it. */
  readonly cost: { readonly amount: number; readonly currency: string } | undefined
}

/** The number of the first request, which the driver writes before it reads anything. */
export const firstId = 0

export function createState(names: Names, request: CheckedRequest, options: CliOptions): AcpState {
  return {
    names,
    request,
    options,
    asked: 'initialize',
    id: firstId,
    abilities: {
      protocolVersion: undefined,
      title: undefined,
      name: undefined,
      version: undefined,
      canLoad: false,
      canResume: false,
      canList: false,
      logins: [],
    },
    session: undefined,
    model: undefined,
    hasLoggedIn: false,
    isLoaded: false,
    held: undefined,
    refused: [],
    isBroken: false,
    text: noText,
    calls: noCalls,
    permissions: [],
    permissionCount: 0,
    cost: undefined,
  }
}
