import { expect, test } from 'vitest'
import { isProducer, readAgent, toProducer } from './producer.ts'

const agent = {
  id: 'demo',
  kind: 'demo',
  version: '1',
  name: 'Demo',
  model: 'm',
  uri: 'https://a.example/m',
  session: 's',
}

test('readAgent() reads every field of an agent, and nothing else', () => {
  expect(readAgent(agent)).toEqual(agent)
  expect(readAgent({ ...agent, other: 'x' })).toBeUndefined()
  expect(readAgent({ ...agent, name: 1 })).toBeUndefined()
  expect(readAgent('demo')).toBeUndefined()
})

test('an agent is the producer that it is written as', () => {
  expect(isProducer(toProducer(agent), agent)).toBe(true)
  expect(isProducer(toProducer(agent), { ...agent, name: 'Other' })).toBe(false)
})
