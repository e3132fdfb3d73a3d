import { omitUndefined, SluiceError } from '@sluice/protocol'
import type { WebSocket } from 'ws'
import type { Caller } from '../../../access/caller.ts'
import { hideDeletion } from '../../../kernel/sessions/hide-deletion.ts'
import type { Backend } from '../../backend.ts'
import { toProblem, toSluiceError } from '../../http/problem.ts'
import type { Outbox } from './outbox.ts'

/** What a connection reads under one `ref`: a session, or the list of sessions. */
export interface Reading {
  /** The socket accepts data again. */
  drained(): void
  close(): void
  readonly isStalled: boolean
}

/** A connection, as seen by the readings on it. */
export interface ClientSocket {
  readonly backend: Backend
  readonly caller: Caller
  readonly ws: WebSocket
  readonly outbox: Outbox
  /** By `ref`, in the order of their turns. */
  readonly readings: Map<string, Reading>
  /** The refs of those that follow the list of sessions. */
  readonly watches: Set<string>
  /** Cursors that moved without a frame, by `ref`. */
  readonly moved: Map<string, string>
}

/** Throws when nothing else can be read under this `ref`. */
export function assertFree({ backend, readings }: ClientSocket, ref: string): void {
  if (readings.has(ref))
    throw new SluiceError('bad_request', { message: 'This ref is in use.', details: { path: '/ref' } })
  if (readings.size >= backend.kernel.config.limits.subscriptionsPerConnection)
    throw new SluiceError('too_many_connections', {
      message: 'The connection has as many subscriptions as it may have.',
    })
}

/** Reports a problem with the request or the reading `ref`, or with neither. */
export function sendError(
  { backend, caller, ws, outbox }: ClientSocket,
  ref: string | undefined,
  error: unknown,
): void {
  const known = toSluiceError(hideDeletion(caller, error))
  if (known.code === 'internal') backend.kernel.logger.error({ err: error }, 'a WebSocket request failed')
  if (ws.readyState !== ws.OPEN) return
  const { type: _type, title: _title, status: _status, detail, ...details } = toProblem(known)
  outbox.send({ type: 'error', ...omitUndefined({ ref }), message: detail, ...details })
}
