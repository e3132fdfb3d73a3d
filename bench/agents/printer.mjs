#!/usr/bin/env node
// Prints what an agent would, as fast as it can, once it has read its prompt. PRINTER says what: the kind of
// agent, the number of messages, the pieces per message, and the length of a piece.

import { readFileSync, writeSync } from 'node:fs'

const blockBytes = 64 * 1024
const session = '6f1c2a4e-0b7d-4c5e-9a3f-2d8b1e7c5a90'

const { kind, messages, pieces, textLength } = JSON.parse(process.env.PRINTER)
const sentence = 'The quick brown fox jumps over the lazy dog; nobody minds, again. '
const piece = sentence.repeat(Math.ceil(textLength / sentence.length)).slice(0, textLength)
const printLines = { claude_code: printClaudeCode, codex: printCodex }[kind]

let block = ''

readFileSync(0)
printLines()
flush()

/** Messages in pieces, each repeated as a whole. */
function printClaudeCode() {
  const model = 'claude-opus-5-5'
  const usage = { input_tokens: 10, output_tokens: pieces }
  print({ type: 'system', subtype: 'init', session_id: session, model, claude_code_version: '2.1.325' })
  for (let message = 0; message < messages; message++) {
    const id = `msg_${message}`
    const printEvent = (event, index) =>
      print({
        type: 'stream_event',
        event,
        session_id: session,
        parent_tool_use_id: null,
        uuid: uuidOf(message, index),
        api_message_id: id,
      })
    const begun = { id, type: 'message', role: 'assistant', model }
    printEvent({ type: 'message_start', message: { ...begun, content: [], usage } }, 0)
    printEvent({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }, 1)
    for (let index = 0; index < pieces; index++)
      printEvent(
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } },
        2 + index,
      )
    print({
      type: 'assistant',
      message: { ...begun, content: [{ type: 'text', text: piece.repeat(pieces) }], usage },
      parent_tool_use_id: null,
      session_id: session,
      uuid: uuidOf(message, 2 + pieces),
    })
    printEvent({ type: 'content_block_stop', index: 0 }, 3 + pieces)
    printEvent({ type: 'message_stop' }, 4 + pieces)
  }
  print({ type: 'result', subtype: 'success', is_error: false, session_id: session, result: '', usage })
  print({ type: 'system', subtype: 'session_state_changed', state: 'idle', session_id: session })
}

/** Whole messages, the only kind that Codex prints. */
function printCodex() {
  print({ type: 'thread.started', thread_id: session })
  print({ type: 'turn.started' })
  for (let message = 0; message < messages; message++)
    print({
      type: 'item.completed',
      item: { id: `item_${message}`, type: 'agent_message', text: piece.repeat(pieces) },
    })
  print({ type: 'turn.completed', usage: { input_tokens: 10, cached_input_tokens: 3, output_tokens: 7 } })
}

function uuidOf(message, index) {
  return `${message.toString(16).padStart(8, '0')}-4c5e-4a3f-8d8b-${index.toString(16).padStart(12, '0')}`
}

function print(value) {
  block += `${JSON.stringify(value)}\n`
  if (block.length >= blockBytes) flush()
}

function flush() {
  const bytes = Buffer.from(block)
  block = ''
  for (let written = 0; written < bytes.length; ) written += writeSync(1, bytes, written)
}
