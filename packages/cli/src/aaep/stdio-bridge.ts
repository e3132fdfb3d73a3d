import type { Client } from '@sluice/client'
import {
  createNdjsonDecoder,
  type FramedText,
  type FramingFault,
  type JsonObject,
  type JsonValue,
} from '@sluice/protocol'
import type { Io } from '../io.ts'
import { createOutput } from '../output.ts'
import { say } from '../say.ts'
import { createBridgedSubscription } from './bridged-subscription.ts'
import { encodeError, encodeResult, type RpcCall, readRpc, rpcCodes } from './json-rpc.ts'
import { toRpcError } from './rpc-errors.ts'

/**
 * Serves AAEP from a gateway over standard input and output, one JSON-RPC message per line (AAEP Appendix B).
 * Handles requests in the order of arrival. Resolves at the end of the input.
 */
export async function runStdioBridge(client: Client, io: Io): Promise<void> {
  const out = createOutput(io.stdout)
  const write = async (text: string): Promise<void> => {
    out.write(text)
    await out.flush()
  }
  const subscription = createBridgedSubscription(client, io, write)
  const methods: Readonly<Record<string, (params: JsonObject) => Promise<JsonValue>>> = {
    'aaep.subscribe': subscription.subscribe,
    'aaep.renegotiate': subscription.renegotiate,
    'aaep.reply': subscription.reply,
    'aaep.close': subscription.close,
    'aaep.ping': async () => ({}),
  }

  async function answer({ id, method, params }: RpcCall): Promise<void> {
    const run = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (run === undefined) {
      const error = { code: rpcCodes.unknownMethod, message: 'There is no method with this name.' }
      if (id !== undefined) await write(encodeError(id, error))
      return
    }
    try {
      const result = await run(params)
      if (id !== undefined) await write(encodeResult(id, result))
      subscription.start()
    } catch (failure) {
      const error = toRpcError(failure)
      if (id !== undefined) await write(encodeError(id, error))
      else say(io, `${method}: ${error.message}`) // a notification has no answer
    }
  }

  async function take(line: FramedText | FramingFault): Promise<void> {
    const read = line.ok ? readRpc(line.text) : unreadable
    if (!read.ok) await write(encodeError(read.id, read.error))
    else if (read.call !== undefined) await answer(read.call)
  }

  const decoder = createNdjsonDecoder({ maxLineBytes })
  try {
    for await (const chunk of io.stdin)
      for (const line of decoder.push(Buffer.from(chunk as Buffer | string))) await take(line) // one of the two
    for (const line of decoder.end()) await take(line)
  } finally {
    await subscription.leave()
  }
}

const maxLineBytes = 1024 * 1024

const unreadable = {
  ok: false,
  id: null,
  error: { code: rpcCodes.notJson, message: 'The line is longer than 1 MiB, or not UTF-8.' },
} as const
