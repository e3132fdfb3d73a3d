import type { SessionState } from './session-state.ts'
import { tableGet } from './table.ts'

/** A running tool: its id on the wire, if it has one, and its call in the session. */
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

/**
 * The open call that a frame means. Without an id, the oldest one of the tool; without a tool, the oldest
 * one.
 */
export function findCall(calls: readonly OpenCall[], { id, tool }: CallName): OpenCall | undefined {
  if (id !== undefined) return calls.find((open) => open.id === id)
  return tool === undefined ? calls[0] : calls.find((open) => open.tool === tool)
}

/** The open call that a result ends. It may have started without an id, if no other has the result's. */
export function findEndedCall(calls: readonly OpenCall[], name: CallName): OpenCall | undefined {
  const { id, tool } = name
  const named = findCall(calls, name)
  if (named !== undefined || id === undefined) return named
  return calls.find((open) => open.id === undefined && (tool === undefined || open.tool === tool))
}

export function withoutCall(calls: readonly OpenCall[], call: string): readonly OpenCall[] {
  return calls.filter((open) => open.call !== call)
}

/**
 * An id for a call that the session does not have yet: the wire's own or one made from the position, with a
 * suffix if it is taken.
 */
export function freshCall(session: SessionState, id: string | undefined): string {
  const base = id ?? `call_${session.seq + 1}`
  let call = base
  // Counting from 2 would look at every earlier use of the id.
  for (let n = session.calls.next + 1; tableGet(session.calls, call) !== undefined; n++) call = `${base}.${n}`
  return call
}
