import { PassThrough } from 'node:stream'
import type { Client } from '@sluice/client'
import { SluiceError } from '@sluice/protocol'
import { expect, test } from 'vitest'
import { guardIo } from '../guard-terminal.ts'
import { followRun } from './follow-run.ts'

const question = { kind: 'question-open', question: 'confirmation', token: 't', text: 'Run it?' }

/** What is said when the person says yes, and the gateway answers so. */
async function answerWith(answer: () => Promise<{ readonly counted: boolean }>): Promise<string> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const stderr = new PassThrough()
  const io = { ...guardIo({ stdin, stdout: new PassThrough(), stderr, env: {} }), stdin }
  let finish = (): void => {}
  const answered = new Promise<void>((resolve) => {
    finish = resolve
  })
  const client = {
    async *subscribe() {
      yield { type: 'frame', frame: { events: [question] } }
      stdin.write('y\n')
      await answered
      yield { type: 'end', outcome: 'completed' }
    },
    answer: () => answer().finally(() => setImmediate(finish)),
  } as unknown as Client // all that a run at a terminal asks of it
  const place = { url: 'http://127.0.0.1:1', flags: '', kill() {} }
  await followRun({ client, session: 'sess_a', io, show: { as: 'text' }, ...place })
  return String(stderr.read() ?? '')
}

test.each([
  ['counted', async () => ({ counted: true }), ''],
  [
    'came too late',
    async () => ({ counted: false }),
    'sluice: The answer did not count: the question was no longer open.\n',
  ],
  [
    'was lost',
    async () => {
      throw new SluiceError('gateway_unreachable')
    },
    'sluice: The answer could not be sent.\n',
  ],
])('an answer that %s is told so', async (_, answer, said) => {
  expect(await answerWith(answer)).toBe(said)
})
