import { expect, test } from 'vitest'
import { createIdIndex } from './id-index.ts'
import { createSipHash } from './sip-hash.ts'

test('an index tells the same bytes from others under a known id, through many growths', () => {
  const index = createIdIndex({ hash: createSipHash() })
  for (let i = 0; i < 50_000; i++) expect(index.note(`evt_${i}`, `content ${i}`)).toBe('new')
  for (let i = 0; i < 50_000; i += 7) {
    expect(index.note(`evt_${i}`, `content ${i}`)).toBe('same')
    expect(index.note(`evt_${i}`, 'something else')).toBe('other')
    expect(index.has(`evt_${i}`)).toBe(true)
  }
  expect(index.has('evt_50000')).toBe(false)
})

test('an index compares all 64 bits of both digests', () => {
  const digests = new Map([
    ['a', { high: 1, low: 1 }],
    ['b', { high: 2, low: 1 }],
    ['c', { high: 1, low: 2 }],
    ['zero', { high: 0, low: 0 }],
  ])
  const hash = (text: string) => digests.get(text) ?? { high: 9, low: 9 }
  const index = createIdIndex({ hash })
  for (const id of digests.keys()) expect(index.note(id, 'b')).toBe('new')
  for (const id of digests.keys())
    expect([index.look(id, 'b'), index.look(id, 'a'), index.look(id, 'c')]).toEqual([
      'same',
      'other',
      'other',
    ])
})

test('an index that restores what another one of the same hash gave out knows the same ids', () => {
  const hash = createSipHash()
  const index = createIdIndex({ hash, journal: true })
  for (let i = 0; i < 200; i++) index.note(`evt_${i}`, `content ${i}`)
  const drained = index.drain(150)
  for (const recorded of [drained, index.dump(150)]) {
    const restored = createIdIndex({ hash })
    restored.restore(recorded)
    expect(restored.look('evt_149', 'content 149')).toBe('same')
    expect(restored.look('evt_149', 'content 150')).toBe('other')
    expect(restored.look('evt_150', 'content 150')).toBe('new')
  }
  expect([index.noted, index.drain(200).length, index.dump(200).length]).toEqual([200, 200, 800])
})
