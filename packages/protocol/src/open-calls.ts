import type { SessionState } from './session-state.ts'
import { tableGet } from './table.ts'

/** A tool that runs: its id on the wire, if it has one, and its call in the session. */
export interface OpenCall {
  readonly id?: string
  readonly call: string
  readonly tool: string
}

/** How a frame names a call: by its id, by its tool, by both or not at all. */
export interface CallName {
  readonly id?: string | undefined
  readonly tool?: string | undefined
}

/** The open call that a frame means. Without an id it is the oldest one of the tool; without a tool, the oldest. */
export function findCall(calls: readonly OpenCall[], { id, tool }: CallName): OpenCall | undefined {
  if (id !== undefined) return calls.find((open) => open.id === id)
  return tool === undefined ? calls[0] : calls.find((open) => open.tool === tool)
}

/** The open call that a result ends: also one that began without an id, if no other has the result's. */
export function findEndedCall(calls: readonly OpenCall[], name: CallName): OpenCall | undefined {
  const { id, tool } = name
  const named = findCall(calls, name)
  if (named !== undefined || id === undefined) return named
  return calls.find((open) => open.id === undefined && (tool === undefined || open.tool === tool))
}

export function withoutCall(calls: readonly OpenCall[], call: string): readonly OpenCall[] {
  return calls.filter((open) => open.call !== call)
}

/** An id for a call that the session does not have yet: the wire's own if it is free, else one made of the position. */
export function freshCall(session: SessionState, id: string | undefined): string {
  const base = id ?? `call_${session.seq + 1}`
  let call = base
  for (let n = 2; tableGet(session.calls, call) !== undefined; n++) call = `${base}.${n}`
  return call
}
