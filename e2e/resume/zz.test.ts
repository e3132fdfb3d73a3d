import { formatCursor } from '@sluice/protocol'
import { dialects } from '@sluice/protocol/dialects'
import { test } from 'vitest'
import { encodeSession, entriesOf } from '../../packages/protocol/src/testing/sessions.ts'
import type { SluiceEvent } from '@sluice/protocol'
test('x', () => {
  const long = '🎈 word. '.repeat(9000)
  const e: SluiceEvent[][] = [
    [{ kind: 'session-start' }],
    [{ kind: 'state-change', to: 'thinking' }, { kind: 'message', id: 'm1', role: 'agent', parts: [{ type: 'text', text: long }] }, { kind: 'notice', level: 'info', text: 'x' }],
    [{ kind: 'notice', level: 'info', text: long }, { kind: 'state-change', to: 'thinking' }],
    [{ kind: 'tool-call', call: 'c', tool: 't', args: { a: long } }, { kind: 'state-change', to: 'idle' }],
    [{ kind: 'question-open', question: 'clarification', token: 'q', text: long }, { kind: 'state-change', to: 'idle' }],
    [{ kind: 'session-end', outcome: 'completed' }],
  ]
  for (const d of dialects) console.log(d.id, encodeSession(d, { id: 'sess_a' }, entriesOf(e).entries).map((f) => formatCursor(f.cursor)).join(' '))
})
