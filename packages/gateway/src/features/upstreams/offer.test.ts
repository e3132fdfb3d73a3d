import { createDrivenClock } from '@sluice/protocol/testing'
import { expect, test } from 'vitest'
import { createAnswerers } from '../../kernel/questions/answerers.ts'
import { until } from '../../testing/until.ts'
import { createOffer } from './offer.ts'

const targetOf = (id: string) => ({ id, labels: {} })

function open(sessions: readonly string[] = []) {
  const clock = createDrivenClock()
  const answerers = createAnswerers(async () => {})
  const told: boolean[] = []
  const offer = createOffer({
    clock,
    answerers,
    sessions: () => sessions.map(targetOf),
    anySession: targetOf('sess_0'),
    tell: async (offers) => void (told.at(-1) !== offers && told.push(offers)),
    onFailed: (error) => expect.unreachable(String(error)),
  })
  offer.start()
  return { clock, answerers, offer, told }
}

test('an offer stands from the first who can answer until 10 s after the last', async () => {
  const { clock, answerers, offer, told } = open()
  expect(offer.isOn).toBe(false)
  const first = answerers.enrol({ reaches: () => true })
  const second = answerers.enrol({ reaches: () => true })
  await until(() => told.length === 1)
  first.drop()
  clock.advance(60_000)
  expect(offer.isOn).toBe(true)
  second.drop()
  clock.advance(9_999)
  expect(offer.isOn).toBe(true)
  clock.advance(1)
  await until(() => told.length === 2)
  expect(told).toEqual([true, false])
})

test('an offer survives a client that comes back', () => {
  const { clock, answerers, offer } = open()
  const place = answerers.enrol({ reaches: () => true })
  place.drop()
  clock.advance(5_000)
  answerers.enrol({ reaches: () => true })
  clock.advance(60_000)
  expect(offer.isOn).toBe(true)
})

test('who reaches none of the sessions is not offered', () => {
  const { answerers, offer } = open(['sess_here'])
  answerers.enrol({ reaches: ({ id }) => id === 'sess_elsewhere' })
  expect(offer.isOn).toBe(false)
  answerers.enrol({ reaches: ({ id }) => id === 'sess_here' })
  expect(offer.isOn).toBe(true)
})

test('a stopped offer changes no more', () => {
  const { answerers, offer, told } = open()
  offer.stop()
  answerers.enrol({ reaches: () => true })
  expect([offer.isOn, told]).toEqual([false, []])
})
