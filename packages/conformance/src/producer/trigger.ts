import { spawn } from 'node:child_process'
import { omitUndefined, SluiceError } from '@sluice/protocol'
import { authorize, isSameOrigin } from './http-request.ts'

/** Starts a session of the producer. */
export interface Trigger {
  /** Resolves when the request is answered or the command ended; rejects with `fetch_failed` if it failed. */
  pull(): Promise<void>
  /** Stops what is still running. */
  stop(): void
}

const request = /^(GET|POST|PUT) (https?:\/\/\S+)(?: (.*))?$/s

/**
 * A trigger is a request (`POST http://… BODY`) or a command with its arguments, run without a shell. The
 * token is sent only with a request to the producer's own origin.
 */
export function createTrigger(
  text: string,
  producer: { readonly url: string; readonly token?: string },
): Trigger {
  const [, method, url, body] = request.exec(text) ?? []
  if (method !== undefined && url !== undefined) return requestTrigger({ method, url, body }, producer)
  const [command, ...args] = splitWords(text)
  if (command === undefined)
    throw new SluiceError('usage', { message: 'The trigger needs a request or a command.' })
  return commandTrigger(command, args)
}

function requestTrigger(
  { method, url, body }: { readonly method: string; readonly url: string; readonly body: string | undefined },
  producer: { readonly url: string; readonly token?: string },
): Trigger {
  const headers = {
    'content-type': 'application/json',
    ...(isSameOrigin(url, producer.url) ? authorize(producer) : {}),
  }
  let controller = new AbortController()
  return {
    async pull() {
      controller = new AbortController()
      const { signal } = controller
      const init = omitUndefined({ method, headers, signal, body })
      const response = await fetch(url, init).catch(() => undefined)
      if (signal.aborted) return
      // Not awaited: the body may last as long as its session.
      void response?.arrayBuffer().catch(() => undefined)
      if (response?.ok === true) return
      throw failed(response === undefined ? 'nobody answers' : `status ${response.status}`)
    },
    stop: () => controller.abort(),
  }
}

function commandTrigger(command: string, args: readonly string[]): Trigger {
  const running = new Set<ReturnType<typeof spawn>>()
  return {
    pull: () =>
      new Promise((resolve, reject) => {
        const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
        running.add(child)
        child.on('error', (cause) => reject(failed('the command does not start', cause)))
        child.on('close', (code, signal) => {
          running.delete(child)
          if (code === 0 || signal !== null) resolve()
          else reject(failed(`the command ended with ${code}`))
        })
      }),
    stop() {
      for (const child of running) child.kill()
    },
  }
}

function failed(why: string, cause?: unknown): SluiceError {
  return new SluiceError('fetch_failed', { message: `The trigger failed: ${why}.`, cause })
}

/** Splits at spaces; quotes keep spaces, a backslash keeps the character after it. */
export function splitWords(text: string): readonly string[] {
  const words = text.match(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g) ?? []
  return words.map((word) =>
    word.replace(/\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, ...[escaped, double, single]) =>
      String(escaped ?? double?.replace(/\\(.)/g, '$1') ?? single ?? ''),
    ),
  )
}
