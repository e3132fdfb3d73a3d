import {
  type Clock,
  type JsonValue,
  omitUndefined,
  type SessionState,
  type SluiceEvent,
  type ToolResult,
} from '@sluice/protocol'
import { randomId } from './random-id.ts'
import { assertJson, metaOf, toToolCall } from './session-events.ts'
import type { RunToolOptions, ToolOptions } from './session-options.ts'
import { isOpenCall } from './session-order.ts'

/** A running tool call. It completes once. */
export interface ToolHandle {
  readonly id: string
  done(result?: JsonValue): Promise<void>
  /** Without secrets: people hear it. */
  fail(message: string): Promise<void>
  /** The tool was given up. */
  timeout(message?: string): Promise<void>
}

export interface ToolsParts {
  readonly clock: Clock
  readonly language: string | undefined
  state(): SessionState
  emit(events: readonly SluiceEvent[]): Promise<void>
}

export interface Tools {
  open(tool: string, options: ToolOptions): ToolHandle
  run<T>(tool: string, options: RunToolOptions<T>, run: () => T | Promise<T>): Promise<T>
}

export function createTools({ clock, language, state, emit }: ToolsParts): Tools {
  function open(tool: string, options: ToolOptions): ToolHandle {
    const id = options.id ?? randomId('call_', 24)
    emit([{ ...toToolCall(tool, id, options), ...metaOf(language, options.summary) }])
    const startedAt = clock.monotonic()
    const finish = (outcome: Pick<ToolResult, 'status' | 'result' | 'message'>): Promise<void> => {
      const durationMs = clock.monotonic() - startedAt
      return emit([{ kind: 'tool-result', call: id, tool, ...outcome, durationMs }])
    }
    return {
      id,
      done: (result) =>
        finish({
          status: 'success',
          ...omitUndefined({ result: result === undefined ? undefined : assertJson('The result', result) }),
        }),
      fail: (message) => finish({ status: 'error', message }),
      timeout: (message) => finish(omitUndefined({ status: 'timeout', message })),
    }
  }

  /** The session may end, and the call with it, while the function runs: then there is nothing to report. */
  const isOpen = ({ id }: ToolHandle) => state().end === undefined && isOpenCall(state(), id)

  return {
    open,
    run(tool, { report, ...options }, run) {
      const handle = open(tool, options)
      const work = async () => {
        try {
          const value = await run()
          if (isOpen(handle)) await handle.done(report?.(value))
          return value
        } catch (error) {
          if (isOpen(handle)) await tellFailure(handle, error)
          throw error
        }
      }
      return work()
    },
  }
}

function tellFailure(handle: ToolHandle, error: unknown): Promise<void> {
  if (!(error instanceof Error)) return handle.fail('The tool failed.')
  return error.name === 'TimeoutError' ? handle.timeout(error.message) : handle.fail(error.message)
}
