import type { PermissionOptionKind, RequestPermissionResponse, ToolKind } from '@agentclientprotocol/sdk'
import type { QuestionOpen, Risk, RunAnswer } from '@sluice/protocol'
import { type NativeCall, toolOf } from './map-tool.ts'
import type { PermissionOption } from './native.ts'
import { encodeResult, type RpcId } from './rpc.ts'

/** A permission request that waits for its answer. */
export interface OpenPermission {
  readonly token: string
  readonly id: RpcId
  /** The call that needs the permission. */
  readonly call: string
  readonly options: readonly PermissionOption[]
}

/** The decisions that a person can make, each with the agent's options that express it, best first. */
const decisions = {
  accept: ['allow_once', 'allow_always'],
  accept_always: ['allow_always', 'allow_once'],
  reject: ['reject_once', 'reject_always'],
  reject_always: ['reject_always', 'reject_once'],
} as const satisfies Record<string, readonly PermissionOptionKind[]>

export type Decision = keyof typeof decisions

/** The question names the tool or its kind. The arguments are in the call, which is its `parent`. */
export function toQuestion(
  { token, call, options }: OpenPermission,
  known: NativeCall,
  asker: { readonly title: string; readonly askTimeoutMs: number },
): QuestionOpen {
  const { kind, tool, toldAs } = known
  const isNamed = tool !== undefined || kind === undefined
  const name = toldAs ?? toolOf(known)
  return {
    kind: 'question-open',
    question: 'confirmation',
    token,
    text: `${asker.title} asks to ${isNamed ? `use ${name}` : deeds[kind]}.`,
    default: 'reject',
    allowed: allowedBy(options),
    timeoutMs: asker.askTimeoutMs,
    risk: kind === undefined ? 'medium' : risks[kind],
    meta: { parent: call },
  }
}

export function toDecision({ how, decision }: RunAnswer): Decision {
  if (how !== 'answered' || decision === undefined) return 'reject'
  return Object.hasOwn(decisions, decision) ? (decision as Decision) : 'reject' // its keys are the decisions
}

/** The line that answers the agent. Without a matching option, it says that nothing was chosen. */
export function encodeDecision({ id, options }: OpenPermission, decision: Decision): string {
  const chosen = decisions[decision]
    .map((kind) => options.find((option) => option.kind === kind))
    .find((option) => option !== undefined)
  if (chosen === undefined) return encodeCancelled(id)
  const response: RequestPermissionResponse = { outcome: { outcome: 'selected', optionId: chosen.id } }
  return encodeResult(id, response)
}

export function encodeCancelled(id: RpcId): string {
  const response: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } }
  return encodeResult(id, response)
}

function allowedBy(options: readonly PermissionOption[]): readonly Decision[] {
  const has = (kind: PermissionOptionKind): boolean => options.some((option) => option.kind === kind)
  return [
    ...(has('allow_once') || has('allow_always') ? (['accept'] as const) : []),
    ...(has('allow_once') && has('allow_always') ? (['accept_always'] as const) : []),
    'reject',
    ...(has('reject_once') && has('reject_always') ? (['reject_always'] as const) : []),
  ]
}

const deeds: Record<ToolKind, string> = {
  read: 'read something',
  edit: 'change a file',
  delete: 'delete something',
  move: 'move something',
  search: 'search',
  execute: 'run a command',
  think: 'think',
  fetch: 'fetch something',
  switch_mode: 'work in another mode',
  other: 'use a tool',
}

const risks: Record<ToolKind, Risk> = {
  read: 'low',
  edit: 'medium',
  delete: 'high',
  move: 'medium',
  search: 'low',
  execute: 'medium',
  think: 'low',
  fetch: 'medium',
  switch_mode: 'medium',
  other: 'medium',
}
