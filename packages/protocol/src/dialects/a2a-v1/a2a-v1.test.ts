import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { SluiceEvent } from '../../events.ts'
import { encodeSession, entriesOf, readSession } from '../../testing/sessions.ts'
import { testDialect } from '../../testing/test-dialect.ts'
import { a2aV1 } from './index.ts'

testDialect(a2aV1, { fixtures: new URL('./fixtures/', import.meta.url) })

const linesOf = (name: string): readonly string[] =>
  readFileSync(new URL(`./fixtures/${name}.ndjson`, import.meta.url), 'utf8')
    .trim()
    .split('\n')

const message = { messageId: 'm-1', role: 'ROLE_AGENT', parts: [{ text: 'Hello.' }] } as const

test('what is false is left out', () => {
  const events: SluiceEvent[] = [
    { kind: 'text-delta', output: 'out', take: 0, position: 0, channel: 'answer', text: 'Hello' },
    { kind: 'text-end', output: 'out', take: 0 },
  ]
  const session = entriesOf([events])
  const frames = encodeSession(a2aV1, session.state, session.entries).map(({ data }) => data)
  expect(frames).toHaveLength(4)
  for (const frame of frames) expect(frame).not.toMatch(/false|"final"|"kind":"(?!session-)/)
})

test('a message alone is a session, and nothing may follow it', () => {
  const lines = [{ message }, { message }].map((frame) => JSON.stringify(frame))
  const { entries, findings, state } = readSession(a2aV1, lines)
  expect(entries).toHaveLength(1)
  expect(state.end).toEqual({ outcome: 'completed' })
  expect(findings.map(({ code }) => code)).toEqual(['session_ended'])
})

test('a message inside a task is kept, told with a finding, and written as a status', () => {
  const [task = ''] = linesOf('hello-world')
  const session = readSession(a2aV1, [task, JSON.stringify({ message })], { isEnded: false })
  expect(session.findings.map(({ code }) => code)).toEqual(['message_in_task'])
  const frames = encodeSession(a2aV1, session.state, session.entries).map(({ data }) => JSON.parse(data))
  expect(frames[1].statusUpdate.status).toMatchObject({ state: 'TASK_STATE_WORKING', message })
})

test('JSON-RPC around a frame changes nothing but the bytes', () => {
  const lines = linesOf('interrupted-and-resumed')
  const wrapped = lines.map((line) => `{"jsonrpc":"2.0","id":7,"result":${line}}`)
  const plain = readSession(a2aV1, lines)
  const session = readSession(a2aV1, wrapped)
  expect(session.findings).toEqual([])
  expect(session.entries.map(({ events }) => events)).toEqual(plain.entries.map(({ events }) => events))
  const frames = encodeSession(a2aV1, session.state, session.entries).map(({ data }) => JSON.parse(data))
  expect(frames).toEqual(lines.map((line) => JSON.parse(line)))
})

test('frames of 0.3 are not taken for those of 1.0', () => {
  for (const line of linesOf('hello-world')) expect(a2aV1.recognizes(JSON.parse(line))).toBe(true)
  expect(a2aV1.recognizes({ message: { messageId: 'm', role: 'ROLE_AGENT', content: [] } })).toBe(false)
  expect(a2aV1.recognizes({ kind: 'task', id: 't', contextId: 'c', status: { state: 'working' } })).toBe(
    false,
  )
  expect(a2aV1.recognizes({ type: 'message', message: { parts: [] } })).toBe(false)
})

test('a status after a frame that broke altogether still begins with the task', () => {
  const session = readSession(a2aV1, [
    '{"artifactUpdate":{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[]}}}',
    '{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_PAUSED"}}}',
  ])
  const frames = encodeSession(a2aV1, session.state, session.entries).map(({ data }) => data)
  expect(frames[0]).toMatch(/^\{"task":/)
  expect(readSession(a2aV1, frames).findings).toEqual([])
})
