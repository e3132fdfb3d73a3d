import {
  type Bindings,
  type ChildLoggerOptions,
  type DestinationStream,
  destination,
  type Level,
  type LogFn,
  type Logger,
  pino,
  stdTimeFunctions,
} from 'pino'
import { serializers, toLogFields, toLogMessage } from './log-fields.ts'

export type { Logger }

export interface LoggerOptions {
  readonly level: Level | 'silent'
  /** Where lines go; standard error if absent. */
  readonly destination?: DestinationStream
}

/** An answered request. */
export interface RequestRecord {
  readonly method: string
  /** The pattern of the route, never the URL; absent if no route matched. */
  readonly route: string | undefined
  readonly status: number
  readonly durationMs: number
  readonly requestId: string
  readonly subject: string | undefined
}

/**
 * A logger that cannot leak payloads: lines and children have only the fields that log-fields.ts lists,
 * errors lose their messages, messages lose queries and are not formatted with values. Programmers write the
 * texts of messages.
 */
export function createLogger({ level, destination: given }: LoggerOptions): Logger {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      serializers,
      formatters: { level: (label) => ({ level: label }), log: toLogFields },
      hooks: {
        logMethod(args, method) {
          const [fields, message] = toSafeArguments(args)
          method.call(this, fields, message)
        },
      },
    },
    given ?? destination({ fd: 2, sync: true }),
  )
  // pino does not apply the parent's formatters to the bindings of a child.
  const makeChild = logger.child
  function child<Levels extends string = never>(
    this: Logger,
    bindings: Bindings,
    options?: ChildLoggerOptions<Levels>,
  ): Logger<Levels> {
    return Reflect.apply(makeChild, this, [toLogFields(bindings), options])
  }
  return Object.assign(logger, { child })
}

/**
 * Logs a request: as an error if the gateway failed, as information if it was refused, and otherwise for
 * debugging.
 */
export function logRequest(logger: Logger, record: RequestRecord): void {
  const line = { ...record, durationMs: Math.round(record.durationMs * 1000) / 1000 }
  if (record.status >= 500) logger.error(line, 'request failed')
  else if (record.status >= 400) logger.info(line, 'request refused')
  else logger.debug(line, 'request')
}

// For an error without a message argument, pino logs the error's message, and Fastify repeats it as the
// message.
function toSafeArguments([first, second]: Parameters<LogFn>): [object, string | undefined] {
  const given: unknown = first
  if (typeof given === 'string') return [{}, toLogMessage(given)]
  const fields = given instanceof Error ? { err: given } : typeof given === 'object' ? (given ?? {}) : {}
  const error = 'err' in fields ? (fields.err ?? undefined) : undefined
  const message = typeof second === 'string' ? second : undefined
  if (error === undefined) return [fields, message && toLogMessage(message)]
  const isRepeated = typeof error === 'object' && 'message' in error && error.message === message
  return [fields, message === undefined || isRepeated ? 'error' : toLogMessage(message)]
}
