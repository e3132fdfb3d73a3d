import type { JsonObject } from '@sluice/protocol'
import type { CliOptions } from '../cli/cli-agent.ts'
import type { CheckedRequest } from '../request/checked-request.ts'
import { noText, type TextState } from './map-text.ts'
import { type Calls, noCalls } from './map-tool.ts'
import type { Abilities } from './native.ts'
import type { OpenPermission } from './permission.ts'

/** How an agent is spoken of. */
export interface Names {
  /** For people; by the name that the agent gives itself, where there is none. */
  readonly title: string | undefined
  /** How its failures begin. */
  readonly label: string
}

/** What was asked of the agent last. There is one request at a time, so that its number names it. */
export type Asked = 'initialize' | 'login' | 'list' | 'open' | 'model' | 'prompt'

/** A conversation with an agent. */
export interface AcpState {
  readonly names: Names
  readonly request: CheckedRequest
  readonly options: CliOptions
  /** Undefined once the agent has ended its turn, or cannot have one. */
  readonly asked: Asked | undefined
  /** The number of that request. */
  readonly id: number
  readonly abilities: Abilities
  /** Known as soon as the agent has it, or it is asked for. */
  readonly session: string | undefined
  readonly model: string | undefined
  readonly hasLoggedIn: boolean
  /** The session was taken up together with its history. */
  readonly isLoaded: boolean
  /** What was told since that history turned out to come still: it may be part of it. */
  readonly held: readonly JsonObject[] | undefined
  /** Calls that were not permitted. Some agents tell no end of them. */
  readonly refused: readonly string[]
  /** The turn ended by an error. */
  readonly isBroken: boolean
  readonly text: TextState
  readonly calls: Calls
  readonly permissions: readonly OpenPermission[]
  readonly permissionCount: number
  /** What the session has cost, as the agent told last. */
  readonly cost: { readonly amount: number; readonly currency: string } | undefined
}

/** The number of the first request; the driver writes it before anything is read. */
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
