import type { Encoder, SluiceEvent } from '@sluice/protocol'
import { aaepPhrasesFor, createAaepEncoder } from '@sluice/protocol/dialects'
import { expect, test } from 'vitest'
import { drain, openTestPacer, pacerOptions } from '../../../testing/pace-text.ts'
import { makeEntries } from '../../../testing/sample-lines.ts'
import type { Terms } from '../terms.ts'
import { countWaiting, type PacerOptions } from './pacer.ts'

const at0 = 1_800_000_000_000
const pair: readonly SluiceEvent[] = [
  { kind: 'state-change', to: 'thinking' },
  { kind: 'tool-call', call: 'c1', tool: 'search' },
]

function speaking(language: string, terms: Partial<Terms> = {}): PacerOptions {
  const options = pacerOptions({ languages: [language], ...terms })
  const encoder = createAaepEncoder(aaepPhrasesFor([language])) as Encoder<unknown> // its state stays opaque
  return { ...options, spec: { ...options.spec, encoder } }
}

/**
 * A pacer that has sent the first of two events that arrived together, and may not send the second one yet.
 */
async function between(options: PacerOptions) {
  const pacer = await openTestPacer(options)
  for (const entry of makeEntries('sess_paced', [[{ kind: 'session-start' }], pair])) pacer.add(entry)
  const types = [pacer.step({ now: at0, isReady: true }), pacer.step({ now: at0, isReady: true })].map(
    (step) => step.type,
  )
  expect(types).toEqual(['emit', 'emit'])
  expect(pacer.step({ now: at0, isReady: false })).toEqual({ type: 'full' })
  return pacer
}

test('what waits behind an event of the same entry is said in the language that is asked for then', async () => {
  const stays = drain(await between(speaking('en')), at0).values
  const pacer = await between(speaking('en'))
  pacer.renegotiate(speaking('de'))
  const changed = drain(pacer, at0).values
  const german = await between(speaking('de'))
  expect(changed).toEqual(drain(german, at0).values)
  expect(changed).not.toEqual(stays)
})

test('what waits behind an event of the same entry keeps to the filters of then', async () => {
  const pacer = await between(speaking('en'))
  pacer.renegotiate(speaking('en', { filters: { include: ['aaep:agent.session.*'], exclude: [] } }))
  expect(drain(pacer, at0).values).toEqual([])
  expect(countWaiting(pacer.state)).toBe(0)
  expect(pacer.state.output.cursor.seq).toBe(1)
})

test('the outcome of a question passes filters that hide what came with it', async () => {
  const filters = { include: ['aaep:agent.awaiting.*'], exclude: [] }
  const pacer = await openTestPacer(pacerOptions({ filters }))
  const question: SluiceEvent = {
    kind: 'question-open',
    question: 'confirmation',
    token: 'rpl_1',
    text: 'Really?',
  }
  const close: SluiceEvent = { kind: 'question-close', token: 'rpl_1', how: 'answered', decision: 'accept' }
  const progress: SluiceEvent = { kind: 'progress', percent: 10 }
  const message: SluiceEvent = { kind: 'message', id: 'm', role: 'agent', parts: [] }
  for (const entry of makeEntries('sess_paced', [[question], [message, progress, close]])) pacer.add(entry)
  expect(drain(pacer, at0).values.map(({ type }) => type)).toEqual([
    'aaep:agent.awaiting.confirmation',
    'aaep:agent.state.changed',
  ])
})
